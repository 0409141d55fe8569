import 'server-only'
import type { AudioQueueRequest, AudioQuoteRequest } from '@/lib/contract/audio.schema'
import { invalidField } from '@/lib/contract/errors'
import { MAX_SPEED, MIN_SPEED } from '@/lib/contract/limits'
import { perUnit, type Usd } from '@/lib/contract/money'
import { perProcess } from '@/lib/kernel/per-process'
import { type Caller, type RequestContext, requestIdOf } from '@/lib/kernel/request-context'
import { Semaphore } from '@/lib/kernel/semaphore'
import type { Quote } from '@/lib/pipeline/metered'
import { EngineError } from '@/lib/services/engines/engine'
import { EMBEDDED_ENGINE } from '@/lib/services/engines/registry'
import { type SpokenPart, speechEngineOf } from '@/lib/services/engines/speech-engine'
import { jobProvider } from '@/lib/services/engines/upstream/jobs/provider'
import type { ClaimedJob, JobHandler, JobTools, Made } from '@/lib/services/jobs/job'
import { type Pace, runAtProvider, sniffed } from '@/lib/services/jobs/provider-run'
import type { Charge } from '@/lib/services/ledger/ledger-types'
import { chargeOf, type PricedUnits, priceOf } from '@/lib/services/ledger/meter'
import { sniffAudio } from '@/lib/services/media/sniff'
import { formatsMadeHere } from '@/lib/services/media/speech-encoder'
import { catalogue } from '@/lib/services/models/catalogue'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'
import type { MusicPart } from '@/lib/services/models/type-parts'

type AudioInput = {
  prompt: string
  lyrics?: string
  optimizesLyrics?: boolean
  seconds?: number
  isInstrumental?: boolean
  isLoop?: boolean
  voice?: string
  language?: string
  speed?: number
}

export type AudioOrder = { model: Model; input: AudioInput; charge: Charge }

/** @throws ApiError as `resolveModel`, and INVALID_REQUEST for a length that the model has not, or needs. */
export function quoteAudio(body: AudioQuoteRequest, context: RequestContext): Usd {
  const { model, can } = musicModel(body.model, { context })
  assertDuration(body, model.id, can)
  assertLength(body.character_count, can)
  return priceOf(musicLines(model, can, { seconds: body.duration_seconds, characters: body.character_count }))
}

/** Checks a job against its model and prices it. @throws ApiError as `quoteAudio`; INVALID_REQUEST. */
export function orderAudio(body: AudioQueueRequest, caller: Caller, context: RequestContext): Quote<AudioOrder> {
  const { model, can } = musicModel(body.model, { context, caller })
  assertFits(body, model.id, can)
  const seconds = body.duration_seconds ?? can.default_duration
  const priced = chargeOf(musicLines(model, can, { seconds, characters: body.prompt.length }))
  const input: AudioInput = {
    prompt: body.prompt,
    lyrics: body.lyrics_prompt || undefined,
    optimizesLyrics: body.lyrics_optimizer,
    seconds,
    isInstrumental: body.force_instrumental,
    isLoop: body.loop,
    voice: body.voice ?? can.default_voice,
    language: body.language_code,
    speed: body.speed,
  }
  const charge: Charge = { ...priced, modelId: model.id, modelType: 'MUSIC' }
  return {
    requestId: requestIdOf(context, caller, 'music'),
    model,
    amount: priced.amount,
    work: { model, input, charge },
  }
}

function musicModel(
  name: string,
  options: { context: RequestContext; caller?: Caller },
): { model: Model; can: MusicPart } {
  const model = resolveModel(name, { type: 'music', ...options })
  // Every model of the type has it.
  return { model, can: model.music as MusicPart }
}

// Source: API contract, audio.md.
const MIN_PROMPT_CHARS = 10
const MAX_PROMPT_CHARS = 10_000
const MAX_NAMED_VOICES = 60

/** Rejects whatever a model does not do. @throws ApiError INVALID_REQUEST naming the field. */
function assertFits(body: AudioQueueRequest, id: string, can: MusicPart): void {
  assertPrompt(body, can)
  assertLyrics(body, id, can)
  assertDuration(body, id, can)
  assertVoice(body, id, can)
  assertSpeed(body, id, can)
  const flags = [
    ['force_instrumental', can.supports_force_instrumental],
    ['loop', can.supports_loop],
    ['language_code', can.supports_language_code],
  ] as const
  for (const [field, isSupported] of flags) {
    if (body[field] !== undefined && !isSupported)
      throw invalidField([field], `is not supported by ${id}; leave it out`)
  }
}

function assertPrompt({ prompt }: AudioQueueRequest, can: MusicPart): void {
  const [min, max] = promptBounds(can)
  if (prompt.trim().length < min) throw invalidField(['prompt'], `must be at least ${min} characters`)
  if (prompt.length > max) throw invalidField(['prompt'], `must be at most ${max} characters`)
}

function assertLength(characters: number | undefined, can: MusicPart): void {
  if (characters === undefined) return
  const [min, max] = promptBounds(can)
  if (characters < min || characters > max) {
    throw invalidField(['character_count'], `must be from ${min} to ${max}: this model takes prompts of that length`)
  }
}

const promptBounds = (can: MusicPart): [least: number, most: number] => [
  can.min_prompt_length ?? MIN_PROMPT_CHARS,
  can.prompt_character_limit ?? MAX_PROMPT_CHARS,
]

function assertLyrics(
  { lyrics_prompt: lyrics, lyrics_optimizer }: AudioQueueRequest,
  id: string,
  can: MusicPart,
): void {
  if (lyrics_optimizer !== undefined && !can.supports_lyrics_optimizer) {
    throw invalidField(['lyrics_optimizer'], `is not supported by ${id}; leave it out`)
  }
  if (lyrics !== undefined && lyrics !== '' && !can.supports_lyrics) {
    throw invalidField(['lyrics_prompt'], `is not supported by ${id}; leave it out`)
  }
  if (lyrics_optimizer && lyrics) {
    throw invalidField(['lyrics_prompt'], 'must be empty when lyrics_optimizer writes the lyrics')
  }
  if (can.lyrics_required && !lyrics && !lyrics_optimizer) throw invalidField(['lyrics_prompt'], `is required by ${id}`)
  const max = can.lyrics_character_limit
  if (max !== undefined && (lyrics?.length ?? 0) > max) {
    throw invalidField(['lyrics_prompt'], `must be at most ${max} characters`)
  }
}

function assertDuration(
  { duration_seconds: seconds }: Pick<AudioQueueRequest, 'duration_seconds'>,
  id: string,
  can: MusicPart,
): void {
  if (seconds === undefined) return
  if (!hasDuration(can)) throw invalidField(['duration_seconds'], `cannot be chosen for ${id}; leave it out`)
  const { duration_options: options, min_duration: min = 1, max_duration: max, default_duration } = can
  if (options && options.length > 0) {
    if (options.includes(seconds)) return
    throw invalidField(['duration_seconds'], `must be one of ${options.join(', ')}`)
  }
  const longest = max ?? Math.max(default_duration ?? min, min)
  if (seconds < min || seconds > longest) {
    throw invalidField(['duration_seconds'], `must be from ${min} to ${longest}`)
  }
}

function assertVoice({ voice }: AudioQueueRequest, id: string, { voices = [] }: MusicPart): void {
  if (voice === undefined || voices.includes(voice)) return
  const message =
    voices.length === 0 ? `${id} has no voices` : `${id} has ${voices.slice(0, MAX_NAMED_VOICES).join(', ')}`
  throw invalidField(['voice'], `is not a voice of this model: ${message}`)
}

function assertSpeed({ speed }: AudioQueueRequest, id: string, can: MusicPart): void {
  if (speed === undefined) return
  if (!can.supports_speed) throw invalidField(['speed'], `is not supported by ${id}; leave it out`)
  const { min_speed: min = MIN_SPEED, max_speed: max = MAX_SPEED } = can
  if (speed < min || speed > max) throw invalidField(['speed'], `must be from ${min} to ${max}`)
}

type Length = { seconds?: number; characters?: number }

// Tells whether a model lets its length be chosen, or at least states it.
const hasDuration = (can: MusicPart): boolean =>
  (can.duration_options?.length ?? 0) > 0 ||
  can.min_duration !== undefined ||
  can.max_duration !== undefined ||
  can.default_duration !== undefined

/**
 * Prices a piece of this length by one of the ways in which the contract prices music. @throws ApiError INVALID_REQUEST
 * when the price needs a length that was not given.
 */
function musicLines(model: Model, can: MusicPart, { seconds, characters }: Length): PricedUnits[] {
  const { pricing } = can
  if (!pricing) return []
  const line = (sku: string, units: number, dollars: number): PricedUnits[] => [
    { sku: `${model.id}-${sku}`, units, price: perUnit(dollars) },
  ]
  if (pricing.durations) {
    const length = needed(seconds ?? can.default_duration, 'duration_seconds')
    const step = Object.values(pricing.durations).find((one) => length >= one.min_seconds && length <= one.max_seconds)
    if (step) return line('music-generation', 1, step.usd)
    throw invalidField(['duration_seconds'], `has no price at ${model.id}; GET /models lists the lengths it is sold in`)
  }
  if (pricing.per_second) {
    return line(
      'music-second',
      Math.ceil(needed(seconds ?? can.default_duration, 'duration_seconds')),
      pricing.per_second.usd,
    )
  }
  if (pricing.per_thousand_characters) {
    const count = needed(characters, 'character_count')
    // A character is a thousandth of the price, so that short texts are not rounded up to a thousand.
    return line('music-character', count, thousandth(pricing.per_thousand_characters.usd))
  }
  return line('music-generation', 1, pricing.generation?.usd ?? 0)
}

function needed(value: number | undefined, field: string): number {
  if (value !== undefined) return value
  throw invalidField([field], 'is required: the model is priced by it')
}

// Decimal, so that it stays as exact as the price itself: a double divided by 1,000 would not.
function thousandth(dollars: number): number {
  return Number(`${dollars.toFixed(9)}e-3`)
}

const TYPES: Record<string, string> = { mp3: 'audio/mpeg', wav: 'audio/wav', flac: 'audio/flac' }
// Formats that the contract allows, smallest first.
const FORMATS = ['mp3', 'flac', 'wav'] as const
const NATURAL_SPEED = 1

// The voice serves requests too: jobs use it one at a time.
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

// Sentence by sentence, so that a text of any length takes the memory of one.
async function speech(model: Model, job: ClaimedJob, { signal }: JobTools): Promise<Made> {
  const leave = await slots().acquire(signal)
  const { prompt, voice = '', speed = NATURAL_SPEED } = job.input as AudioInput
  const made = formatsMadeHere()
  const format = FORMATS.find((one) => made.includes(one)) ?? 'wav'
  const request = { model: model.upstreamModel, text: prompt, voice, format, speed, isWhole: false }
  try {
    const parts = speechEngineOf(EMBEDDED_ENGINE).speak(request, signal)
    const first = await parts.next()
    if (first.done) throw new EngineError('invalid-request', 'The text contains nothing that the voice can speak.')
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
