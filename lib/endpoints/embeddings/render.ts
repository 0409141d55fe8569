import 'server-only'
import { endianness } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EmbeddingsWork } from '@/lib/endpoints/embeddings/quote'
import type { EmbeddingsRun } from '@/lib/endpoints/embeddings/run'
import type { Reply } from '@/lib/pipeline/reply'

/** Numbers written before others have their turn: some milliseconds of work. */
const SLICE_NUMBERS = 16_384
/** A number of 32 bits has no more. */
const DIGITS = 9

/** The vectors as the contract's list. Contract, embeddings.md. */
export async function renderEmbeddings(
  output: Promise<EmbeddingsRun>,
  { model, format }: EmbeddingsWork,
): Promise<Reply> {
  const { vectors, tokens } = await output
  const write = format === 'base64' ? base64Of : numbersOf
  const items: string[] = []
  let written = 0
  for (const [index, vector] of vectors.entries()) {
    items.push(`{"object":"embedding","index":${index},"embedding":${write(vector)}}`)
    written += vector.length
    if (written < SLICE_NUMBERS) continue
    written = 0
    await nextTurn()
  }
  const head = `{"object":"list","model":${JSON.stringify(model.id)},"data":[`
  const usage = `],"usage":{"prompt_tokens":${tokens},"total_tokens":${tokens}}}`
  return { body: head + items.join(',') + usage, contentType: 'application/json', isCompressible: true }
}

/** The shortest numbers that are the same 32 bits again; `+` takes off the zeros that `toPrecision` leaves. */
function numbersOf(vector: Float32Array): string {
  let text = ''
  for (const value of vector) text += `${text === '' ? '[' : ','}${+value.toPrecision(DIGITS)}`
  return `${text}]`
}

/** Little-endian numbers of 32 bits. */
function base64Of(vector: Float32Array): string {
  const bytes = Buffer.from(vector.slice().buffer)
  if (endianness() === 'BE') bytes.swap32()
  return `"${bytes.toString('base64')}"`
}
