import 'server-only'
import type { GenerateResponse, GenerationsRequest } from '@/lib/contract/images.schema'
import type { GenerateWork } from '@/lib/endpoints/images/generate-quote'
import type { Generated, Made } from '@/lib/endpoints/images/generate-run'
import { instanceHeader } from '@/lib/pipeline/headers'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import { dataUrlOf } from '@/lib/services/media/data-url'

const MAX_HEADER_CHARS = 6_000

/** The pictures as JSON, or the one as a file. Contract, images.md. */
export async function renderGenerate(output: Promise<Generated>, work: GenerateWork): Promise<Reply> {
  const made = await output
  const headers = headersOf(made)
  const [first] = made.pictures as [Made]
  if (work.isBinary) return { body: new Uint8Array(first.bytes), contentType: first.mime, headers }
  const { preprocessing, inference } = made.timing
  const reply: GenerateResponse = {
    id: work.requestId,
    images: made.pictures.map(({ bytes }) => base64(bytes)),
    timing: {
      inferenceDuration: Math.round(inference),
      inferencePreprocessingTime: Math.round(preprocessing),
      // Nothing waits here before it is sent to its model; a queue of the model's own counts as its work.
      inferenceQueueTime: 0,
      total: Math.round(inference) + Math.round(preprocessing),
    },
    request: work.request,
  }
  return jsonReply(reply, { headers, isCompressible: true })
}

/** The one picture in the common convention. Contract, images.md. */
export async function renderGenerations(output: Promise<Generated>, work: GenerateWork): Promise<Reply> {
  const made = await output
  const { response_format: form } = work.request as GenerationsRequest
  const data = made.pictures.map(({ bytes, mime }) =>
    form === 'url' ? { url: dataUrlOf({ bytes, mime }) } : { b64_json: base64(bytes) },
  )
  const body = { created: Math.floor(Date.now() / 1000), data }
  return jsonReply(body, { headers: headersOf(made), isCompressible: true })
}

/** Nothing is blurred here: what a model refuses is black. */
function headersOf({ pictures, enhancedPrompt }: Generated): Record<string, string> {
  return {
    'x-service-is-blurred': 'false',
    'x-service-is-content-violation': String(pictures.some(({ isBlocked }) => isBlocked)),
    'x-service-is-adult-model-content-violation': 'false',
    ...instanceHeader(),
    ...enhancedHeader(enhancedPrompt),
  }
}

/** The rewritten prompt, URL-encoded, as far as a header holds it. */
export function enhancedHeader(prompt: string | undefined): Record<string, string> {
  if (prompt === undefined) return {}
  let cut = ''
  // A half of a pair, which a model may write, cannot be encoded; a cut within a character could not be read.
  for (const character of prompt.toWellFormed()) {
    const encoded = encodeURIComponent(character)
    if (cut.length + encoded.length > MAX_HEADER_CHARS) break
    cut += encoded
  }
  return { 'x-service-enhanced-prompt': cut }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
