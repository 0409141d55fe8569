/** A file that is not taken; the message says why, to the person who chose it. */
export class FileRefused extends Error {
  override name = 'FileRefused'
}
