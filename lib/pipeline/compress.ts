import 'server-only'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Reply } from '@/lib/pipeline/reply'

const MIN_BYTES = 1024
const BROTLI_QUALITY = 4

const brotliAsync = promisify(brotliCompress)
const gzipAsync = promisify(gzip)

/**
 * Compresses a reply of 1 KiB or more where the contract allows and the client accepts it, br before gzip. Source: API
 * contract 10.
 */
export async function compress(reply: Reply, acceptEncoding: string | null): Promise<Reply> {
  if (!reply.isCompressible || typeof reply.body !== 'string') return reply
  const headers = { ...reply.headers, Vary: 'Accept-Encoding' }
  const encoding = chooseEncoding(acceptEncoding)
  if (!encoding || Buffer.byteLength(reply.body) < MIN_BYTES) return { ...reply, headers }
  const bytes = Buffer.from(reply.body)
  const packed =
    encoding === 'br'
      ? await brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
      : await gzipAsync(bytes)
  return { ...reply, body: new Uint8Array(packed), headers: { ...headers, 'Content-Encoding': encoding } }
}

export function chooseEncoding(accept: string | null): 'br' | 'gzip' | undefined {
  if (!accept) return undefined
  const taken = new Set<string>()
  for (const item of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    if (!parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) taken.add(name)
  }
  if (taken.has('br')) return 'br'
  return taken.has('gzip') || taken.has('*') ? 'gzip' : undefined
}
