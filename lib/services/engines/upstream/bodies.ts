import { hex } from '@/lib/contract/ids'
import { EngineError } from '@/lib/services/engines/engine'
import { garbageError } from '@/lib/services/engines/upstream/failures'
import type { UpstreamPost } from '@/lib/services/engines/upstream/http-client'
import { isWireObject, type WireObject } from '@/lib/services/engines/upstream/wire-value'
import { base64Bytes } from '@/lib/services/media/data-url'

export const MAX_IMAGE_REPLY_BYTES = 64_000_000

export function jsonPost(path: string, body: object, maxReplyBytes: number, accept = 'application/json'): UpstreamPost {
  const contentType = 'application/json'
  return { path, contentType, accept, body: Buffer.from(JSON.stringify(body)), maxReplyBytes }
}

/** Reads a reply in JSON. @throws EngineError when it is no object. */
export function objectOf(bytes: Buffer): WireObject {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    if (isWireObject(value)) return value
  } catch (error) {
    throw garbageError(error)
  }
  throw garbageError(new Error('The reply is no object'))
}

export function imageOf(value: unknown): Uint8Array {
  const text = typeof value === 'string' ? value.replace(/^data:[^,]{0,200},/, '') : ''
  const bytes = text === '' ? undefined : base64Bytes(text, 'either')
  if (bytes?.byteLength) return bytes
  throw garbageError(new Error('The reply has no image'))
}

export function cannot(what: string): Promise<never> {
  return Promise.reject(
    new EngineError('offline', `The server behind this model cannot ${what}. Choose another model.`),
  )
}

type FormPart = { name: string; bytes: Uint8Array; fileName: string; type: string }

/** Writes a form as the body of a request. Names are ours; no text of a caller's stands in a header of a part. */
export function multipart(fields: [name: string, value: string][], files: FormPart[]) {
  const boundary = `lagoon-${hex(16)}`
  const texts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const parts = files.flatMap(({ name, bytes, fileName, type }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: ${type}\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n'),
  ])
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(texts.join('')), ...parts, Buffer.from(`--${boundary}--\r\n`)]),
  }
}
