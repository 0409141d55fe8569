/** Sizes are decimal, so that the number in a message is the exact bound. */
export const MEGABYTE = 1_000_000
const KILOBYTE = 1_000

export function formatBytes(bytes: number): string {
  return bytes < MEGABYTE ? `${Math.floor(bytes / KILOBYTE)} KB` : `${Math.floor(bytes / MEGABYTE)} MB`
}
