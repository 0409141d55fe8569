import 'server-only'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'

/** Bytes of a reply that is kept; a larger one is not. */
export const MAX_KEPT_BYTES = 1_048_576
const PACK_FROM_BYTES = 1_024

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

export type Packed = { bytes: Uint8Array; isPacked: boolean }

/** A body as it is stored: compressed, off the event loop, where that makes it smaller. */
export async function pack(body: Uint8Array): Promise<Packed> {
  if (body.byteLength <= PACK_FROM_BYTES) return { bytes: body, isPacked: false }
  // Measured on logs: the lowest quality takes a third of the time of the next ones, and the same space.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength }
  const bytes = await compress(body, { params })
  return bytes.byteLength < body.byteLength ? { bytes, isPacked: true } : { bytes: body, isPacked: false }
}

/** @throws when the bytes are not what `pack` gave. */
export async function unpack({ bytes, isPacked }: Packed): Promise<Uint8Array> {
  return isPacked ? decompress(bytes, { maxOutputLength: MAX_KEPT_BYTES }) : bytes
}
