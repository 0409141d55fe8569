import 'server-only'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { formatBytes } from '@/lib/kernel/byte-size'

/** Of the multipart frame around a file. */
export const FRAME_BYTES = 65_536
/** A form has one part that is read. A parser of forms is kept busy for a second by a hundred thousand of one letter. */
const MAX_PARTS = 64
/** Every part has this header, or the parser refuses it. */
const PART_HEADER = /content-disposition/gi

/** A body as it came, of whatever type it says. */
export type Upload = { body: Buffer<ArrayBuffer>; contentType: string }

/**
 * The file of an upload: the body, or the part `file` of a form.
 *
 * @throws ApiError PAYLOAD_TOO_LARGE 413, INVALID_REQUEST 400.
 */
export async function fileOf({ body, contentType }: Upload, maxBytes: number): Promise<Uint8Array> {
  const file = /^multipart\/form-data\b/i.test(contentType) ? await partOf(body, contentType) : body
  if (file.byteLength <= maxBytes) return file
  throw new ApiError('PAYLOAD_TOO_LARGE', `The file is larger than ${formatBytes(maxBytes)}.`)
}

async function partOf(body: Buffer<ArrayBuffer>, contentType: string): Promise<Uint8Array> {
  const headers = body.toString('latin1').matchAll(PART_HEADER)
  for (let parts = 0; !headers.next().done; parts++) {
    if (parts === MAX_PARTS) throw new ApiError('INVALID_REQUEST', `The form has more than ${MAX_PARTS} parts.`)
  }
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData().catch((cause) => {
    throw new ApiError('INVALID_REQUEST', 'The form could not be read.', { cause })
  })
  const file = form.get('file')
  if (!(file instanceof Blob)) throw invalidField(['file'], 'send the file as the part "file" of the form')
  return file.bytes()
}
