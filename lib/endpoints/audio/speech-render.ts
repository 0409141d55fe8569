import 'server-only'
import { SPEECH_TYPES } from '@/lib/contract/speech-types'
import type { SpeechWork } from '@/lib/endpoints/audio/speech-quote'
import type { SpeechRun } from '@/lib/endpoints/audio/speech-run'
import type { Reply } from '@/lib/pipeline/reply'

/** Sound is nobody's to keep on the way, and no proxy's to gather. */
const STREAM_HEADERS = { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' }

/** The sound as a file, or as it is made; the first piece is waited for, so that a failure has its status. */
export async function renderSpeech(run: SpeechRun, { format, isStreaming }: SpeechWork): Promise<Reply> {
  const contentType = SPEECH_TYPES[format]
  const first = await run.next()
  const body = first.value ?? new Uint8Array(0)
  if (isStreaming) return { body: following(body, run), contentType, headers: STREAM_HEADERS }
  // The run is over only when it has been asked for more.
  await run.next()
  return { body, contentType, headers: { 'Content-Length': String(body.length) } }
}

async function* following(first: Uint8Array<ArrayBuffer>, run: SpeechRun): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    yield first
    yield* run
  } finally {
    await run.return()
  }
}
