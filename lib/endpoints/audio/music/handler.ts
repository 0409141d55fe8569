import 'server-only'
import type { AudioInput } from '@/lib/endpoints/audio/music/quote'
import { perProcess } from '@/lib/kernel/per-process'
import { Semaphore } from '@/lib/kernel/semaphore'
import { EngineError } from '@/lib/services/engines/engine'
import { EMBEDDED_ENGINE } from '@/lib/services/engines/registry'
import { type SpokenPart, speakerOf } from '@/lib/services/engines/speech-engine'
import { jobProvider } from '@/lib/services/engines/upstream/jobs/provider'
import type { ClaimedJob, JobHandler, JobTools, Made } from '@/lib/services/jobs/job'
import { type Pace, runAtProvider, sniffed } from '@/lib/services/jobs/provider-run'
import { sniffAudio } from '@/lib/services/media/sniff'
import { formatsMadeHere } from '@/lib/services/media/speech-encoder'
import { catalogue } from '@/lib/services/models/catalogue'
import type { Model } from '@/lib/services/models/model'

const TYPES: Record<string, string> = { mp3: 'audio/mpeg', wav: 'audio/wav', flac: 'audio/flac' }
/** Of those that the contract allows, the smallest that this installation makes. */
const FORMATS = ['mp3', 'flac', 'wav'] as const
const NATURAL_SPEED = 1

/** The voice serves requests too: of the jobs one at a time. */
const slots = (): Semaphore => perProcess('long-speech-slots', () => new Semaphore(1))

/** Runs jobs of `/audio/queue`: at their provider, or on the embedded voice. */
export function audioHandler({ pace }: { pace?: Pace } = {}): JobHandler {
  return async (job, tools) => {
    const model = catalogue().byId.get(job.modelId)
    if (!model?.music) throw new EngineError('offline', 'The model is not available any more.')
    return model.engine === EMBEDDED_ENGINE ? speech(model, job, tools) : provided(model, job, tools, pace)
  }
}

async function provided(model: Model, job: ClaimedJob, tools: JobTools, pace?: Pace): Promise<Made> {
  // Written by `orderAudio`.
  const input = job.input as AudioInput
  const request = async () => ({
    model: model.upstreamModel,
    input: providerInput(input, model.music?.inputNames ?? {}),
  })
  const bytes = await runAtProvider(jobProvider(model.engine), job, request, tools, pace)
  return sniffed(bytes, (head) => TYPES[sniffAudio(head) ?? ''])
}

/** By the contract's names, unless the models file says that the provider has another. */
function providerInput(input: AudioInput, names: Record<string, string>): Record<string, unknown> {
  const fields: Record<string, unknown> = {
    prompt: input.prompt,
    lyrics_prompt: input.lyrics,
    lyrics_optimizer: input.optimizesLyrics,
    duration_seconds: input.seconds,
    force_instrumental: input.isInstrumental,
    loop: input.isLoop,
    voice: input.voice,
    language_code: input.language,
    speed: input.speed,
  }
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [names[name] ?? name, value]))
}

/** Long speech: sentence by sentence, so that a text of any length takes the memory of one. */
async function speech(model: Model, job: ClaimedJob, { signal }: JobTools): Promise<Made> {
  const leave = await slots().acquire(signal)
  const { prompt, voice = '', speed = NATURAL_SPEED } = job.input as AudioInput
  const made = formatsMadeHere()
  const format = FORMATS.find((one) => made.includes(one)) ?? 'wav'
  const request = { model: model.upstreamModel, text: prompt, voice, format, speed, isWhole: false }
  try {
    const parts = speakerOf(EMBEDDED_ENGINE).speak(request, signal)
    const first = await parts.next()
    if (first.done) throw new EngineError('invalid-request', 'The text holds nothing that the voice can say.')
    return { type: TYPES[format] as string, bytes: spoken(first.value.bytes, parts, leave) }
  } catch (error) {
    leave()
    throw error
  }
}

async function* spoken(first: Uint8Array, parts: AsyncGenerator<SpokenPart>, leave: () => void) {
  try {
    yield first
    for await (const { bytes } of parts) yield bytes
  } finally {
    leave()
  }
}
