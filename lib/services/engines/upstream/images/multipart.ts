import { hex } from '@/lib/contract/ids'

export type FormPart = { name: string; bytes: Uint8Array; fileName: string; type: string }

/** A form as the body of a request. Names are ours; nothing of a caller's stands in a header of a part. */
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
