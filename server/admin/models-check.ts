import path from 'node:path'
import type { ModelType } from '@/lib/contract/models'
import { makeSlideshow } from '@/lib/endpoints/video/slideshow'
import { config } from '@/lib/kernel/config'
import { embeddingEngineOf } from '@/lib/services/engines/embedding-engine'
import type { InputImage } from '@/lib/services/engines/engine'
import {
  chatEngine,
  closeEngines,
  EMBEDDED_ENGINE,
  engineOptions,
  imageEngineOf,
} from '@/lib/services/engines/registry'
import { speechEngineOf } from '@/lib/services/engines/speech-engine'
import { transcriptionEngineOf } from '@/lib/services/engines/transcription-engine'
import { jobProvider, NO_JOB, reachJobs } from '@/lib/services/engines/upstream/jobs/provider'
import { wavOf } from '@/lib/services/media/recording'
import { sniffImage } from '@/lib/services/media/sniff'
import { catalogue, loadCatalogue, unloadCatalogue } from '@/lib/services/models/catalogue'
import type { Model } from '@/lib/services/models/model'
import { isConnectedEngine } from '@/lib/services/models/providers/entries'
import { answer, type Command, CommandError, type Values } from '@/server/admin/command'
import { withCatalogue } from '@/server/admin/models'

const CALL_TIMEOUT_MS = 600_000

type Called = {
  engine: string
  type: ModelType
  model: string
  isWorking: boolean
  outcome?: Outcome
  ms: number
  error?: string
}

async function check(_: Values, [file]: string[]) {
  if (file !== undefined) readFrom(path.resolve(file))
  try {
    await loadCatalogue()
    const models = catalogue().list('all', Date.now())
    const called = await callEach(models)
    const lines = [`${models.length} models in ${config().modelsFile ?? 'this installation'}.`, ...called.map(line)]
    return answer(lines, { models: models.map(({ id }) => id), engines: called }, exitCodeOf(called))
  } finally {
    unloadCatalogue()
    await closeEngines()
  }
}

/** Calls connected providers as callers' requests do: with the keys and addresses that are stored. */
async function checkConnected() {
  return withCatalogue(async () => {
    const models = catalogue().list('all', Date.now())
    const called = await callEach(models.filter(({ engine }) => isConnectedEngine(engine)))
    return answer(called.map(line), { providers: called }, exitCodeOf(called))
  })
}

async function callEach(models: Model[]): Promise<Called[]> {
  const called: Called[] = []
  for (const model of oneOfEachKind(models)) called.push(await call(model))
  return called
}

const exitCodeOf = (called: Called[]): number => (called.every(({ isWorking }) => isWorking) ? 0 : 1)

function readFrom(file: string): void {
  process.env.MODELS_FILE = file
  if (config().modelsFile !== file) throw new CommandError(`MODELS_FILE is ${config().modelsFile} in this process.`)
}

function oneOfEachKind(models: Model[]): Model[] {
  const callable = models.filter(({ isOffline }) => !isOffline)
  return [...new Map(callable.toReversed().map((model) => [`${model.engine} ${model.type}`, model])).values()].reverse()
}

async function call(model: Model): Promise<Called> {
  const startedAt = performance.now()
  const about = { engine: model.engine, type: model.type, model: model.id }
  const ms = () => Math.round(performance.now() - startedAt)
  try {
    const outcome = await callModel(model, AbortSignal.timeout(CALL_TIMEOUT_MS))
    return { ...about, isWorking: true, outcome, ms: ms() }
  } catch (error) {
    return { ...about, isWorking: false, ms: ms(), error: error instanceof Error ? error.message : String(error) }
  }
}

function line({ engine, type, model, outcome, ms, error }: Called): string {
  const where = `(${type}, ${model})`
  if (outcome === 'answered') return `${engine}: answered in ${ms} ms ${where}`
  if (outcome === 'reached') return `${engine}: reached in ${ms} ms ${where}; no paid work was started`
  return `${engine}: failed after ${ms} ms ${where}: ${error}`
}

export const modelsCheckCommand: Command = {
  name: 'models check',
  usage: 'models check [FILE]',
  summary: 'validates a models file, and calls each engine and connected provider once per kind of work',
  needsDatabase: false,
  run: check,
  // A file is checked alone: it may be meant for another machine.
  alsoRuns: (argv) =>
    argv.slice(2).every((argument) => argument === '--json') ? ['providers', 'check', ...argv.slice(2)] : undefined,
}

export const providersCheckCommand: Command = {
  name: 'providers check',
  usage: 'providers check',
  summary: 'calls each connected provider once per kind of work',
  needsDatabase: true,
  run: checkConnected,
}

/** `answered`: the model did its work. `reached`: the server knows our key; the work is too expensive for a check. */
type Outcome = 'answered' | 'reached'

type Call = (model: Model, signal: AbortSignal) => Promise<Outcome>

const TEXT = 'Are you there?'
const MAX_ANSWER_TOKENS = 16
const IMAGE_SIDE = 1_024
const AUDIO_SAMPLE_RATE = 16_000
const TONE_HERTZ = 440

/**
 * Sends one small request to a model.
 *
 * @throws EngineError, MediaError, or whatever says that it does not work.
 */
const callModel: Call = (model, signal) => CALLS[model.type](model, signal)

const CALLS: Record<ModelType, Call> = {
  text: chat,
  embedding: embed,
  tts: speak,
  asr: listen,
  image: paint,
  inpaint: edit,
  upscale: enlarge,
  music: (model, signal) => (model.engine === EMBEDDED_ENGINE ? speak(model, signal) : askForJob(model, signal)),
  video: (model, signal) => (model.engine === EMBEDDED_ENGINE ? video(model, signal) : askForJob(model, signal)),
}

async function chat({ engine, upstreamModel }: Model, signal: AbortSignal): Promise<Outcome> {
  const messages = [{ role: 'user' as const, content: `Answer with one word: ${TEXT.toLowerCase()}` }]
  const request = {
    model: upstreamModel,
    messages,
    sampling: {},
    n: 1,
    maxTokens: MAX_ANSWER_TOKENS,
    stop: [],
    extra: {},
  }
  for await (const event of chatEngine(engine).stream(request, signal))
    if (event.type === 'choice-end') return 'answered'
  throw new Error('the reply has no end')
}

async function embed({ engine, upstreamModel: model }: Model, signal: AbortSignal): Promise<Outcome> {
  for await (const { vectors } of embeddingEngineOf(engine).embed({ model, texts: [TEXT] }, signal)) {
    if (vectors[0]?.length) return 'answered'
  }
  throw new Error('no embedding was returned')
}

async function speak(model: Model, signal: AbortSignal): Promise<Outcome> {
  const { engine, upstreamModel, speech, music } = model
  const request = {
    model: upstreamModel,
    text: TEXT,
    voice: speech?.voices[0] ?? music?.voices?.[0] ?? '',
    format: speech?.defaultFormat ?? 'wav',
    speed: 1,
    isWhole: true,
  }
  for await (const { bytes } of speechEngineOf(engine).speak(request, signal)) if (bytes.length > 0) return 'answered'
  throw new Error('no audio was returned')
}

async function listen({ engine, upstreamModel: model }: Model, signal: AbortSignal): Promise<Outcome> {
  const audio = Float32Array.from(
    { length: AUDIO_SAMPLE_RATE },
    (_, at) => 0.3 * Math.sin((2 * Math.PI * TONE_HERTZ * at) / AUDIO_SAMPLE_RATE),
  )
  const bytes = new Uint8Array(wavOf({ samples: audio, seconds: 1 }))
  const file = { bytes, name: 'audio.wav', type: 'audio/wav' }
  await transcriptionEngineOf(engine).recognise({ model, sound: audio, file, wantsTimes: false }, signal)
  return 'answered'
}

async function paint({ engine, upstreamModel: model }: Model, signal: AbortSignal): Promise<Outcome> {
  const request = { model, prompt: 'A blue circle', width: IMAGE_SIDE, height: IMAGE_SIDE, isSafe: true }
  return withImages(await imageEngineOf(engine).paint(request, signal))
}

async function edit({ engine, upstreamModel: model }: Model, signal: AbortSignal): Promise<Outcome> {
  const request = { model, prompt: 'Fill the hole with the colour around it', images: [IMAGE] }
  return withImages(await imageEngineOf(engine).edit(request, signal))
}

async function enlarge({ engine, upstreamModel: model }: Model, signal: AbortSignal): Promise<Outcome> {
  return withImages(await imageEngineOf(engine).upscale({ model, image: IMAGE, factor: 2, creativity: 0 }, signal))
}

function withImages(bytes: Uint8Array): Outcome {
  if (sniffImage(bytes)) return 'answered'
  throw new Error('the reply is not an image')
}

/** Asks for a job that cannot exist: generating a video costs dollars and takes minutes. */
async function askForJob({ engine }: Model, signal: AbortSignal): Promise<Outcome> {
  // Every engine of the catalogue has one: the models file is checked before.
  const [address = ''] = engineOptions(engine)?.baseUrls ?? []
  await reachJobs(jobProvider(engine), address, signal)
  return 'reached'
}

async function video(model: Model, signal: AbortSignal): Promise<Outcome> {
  const url = `data:${IMAGE.mime};base64,${Buffer.from(IMAGE.bytes).toString('base64')}`
  const input = { prompt: TEXT, duration: '5s', audio: false, image_url: url }
  const job = { id: NO_JOB, accountId: NO_JOB, modelId: model.id, kind: 'video' as const, input, ref: null, attempt: 1 }
  const made = await makeSlideshow(model, { ...job, deadlineAt: new Date() }, { signal, note: async () => {} })
  for await (const bytes of made.bytes) if (bytes.length > 0) return 'answered'
  throw new Error('no video was returned')
}

const IMAGE: InputImage = {
  bytes: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAQAAAAEACAMAAABrrFhUAAAABlBMVEVMaXEobrSbcIf5AAAAAXRSTlMAQObYZgAAAAlwSFlzAAAD6AAAA+gB' +
      'tXtSawAAAT1JREFUeNrt3DEBAAAIw7DNv2lE8EEqIQKaPi8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' +
      'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgGYZAAAAAAAAAAAAAAAAAAAA' +
      'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAMBAAQAAAAAAAAAAAAAA' +
      'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' +
      'AAAAAAAAAAAAAADjQABCA8AEeqvM7AAAAAElFTkSuQmCC',
    'base64',
  ),
  mime: 'image/png',
  width: 256,
  height: 256,
  clearShare: 0.0625,
}
