import 'server-only'
import { config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import { textRuntime } from '@/lib/services/engines/embedded/chat/runtime'
import {
  chatModelOf,
  embeddingModelOf,
  type InstalledChatModel,
  type InstalledEmbeddingModel,
  type InstalledSpeechModel,
  speechModelOf,
} from '@/lib/services/engines/embedded/hub/chat-models'
import {
  type InstalledModel,
  installedVersion,
  listInstalled,
  sizeOf,
} from '@/lib/services/engines/embedded/hub/installed-model'
import { formatSize } from '@/lib/services/engines/embedded/hub/memory'
import { isFromSource, type ModelSource, parseSource } from '@/lib/services/engines/embedded/hub/source'
import { HUB_EMBEDDING_MAX_TOKENS } from '@/lib/services/engines/embedded/task-protocol'
import { EMBEDDED_ENGINE } from '@/lib/services/engines/registry'
import { ModelEntry, type ModelEntryInput } from '@/lib/services/models/entry'

const MAX_COMPLETION_TOKENS = 8_192
/** Some models cut an image of any size into up to 17 tiles of 81 tokens, each with marks around it. */
const SMALL_IMAGE_TOKENS = 1_500
/** USD per million tokens, as for the other embedded models: small, and not zero, so that an account sees its billing. */
const PRICING = { input: { usd: 0.05 }, output: { usd: 0.1 } }
const EMBEDDING_PRICING = { input: { usd: 0.01 } }
/** USD per second of sound. */
const SPEECH_PRICING = { per_audio_second: { usd: 0.0001 } }
const ASSISTANTS = { vision: 'image-reader', audio: 'moonshine-tiny' }

export type InstalledModels = {
  entries: ModelEntry[]
  chatModels: InstalledChatModel[]
  embeddingModels: InstalledEmbeddingModel[]
  speechModels: InstalledSpeechModel[]
}

/** Lists the installed models of the hub as catalogue entries, and what the embedded engine needs to run them. */
export async function installedModels(): Promise<InstalledModels> {
  const { embeddedModels, modelHub, defaultModelSource } = config()
  if (embeddedModels === 'off') return { entries: [], chatModels: [], embeddingModels: [], speechModels: [] }
  const wanted = defaultModelSource === undefined ? undefined : parseSource(defaultModelSource)
  const entries: ModelEntry[] = []
  const chatModels: InstalledChatModel[] = []
  const embeddingModels: InstalledEmbeddingModel[] = []
  const speechModels: InstalledSpeechModel[] = []
  for (const model of await listInstalled(modelHub.folder)) {
    const { embedding, transcription } = model.facts
    if (transcription) {
      entries.push(speechEntryOf(model, transcription.isMultilingual))
      speechModels.push(speechModelOf(model, modelHub.folder))
      continue
    }
    const vectors = embedding && embeddingEntryOf(model, embedding.dimensions)
    if (vectors?.success) {
      entries.push(vectors.data)
      embeddingModels.push(embeddingModelOf(model, modelHub.folder))
      continue
    }
    const chatModel = embedding ? undefined : chatModelOf(model, modelHub.folder)
    const entry = chatModel && entryOf(model, chatModel.options, defaultsOf(model, chatModels, wanted))
    if (!entry?.success) {
      log().warn({ model: model.id, source: model.source }, 'installed model is not offered: too large, or not valid')
      continue
    }
    entries.push(entry.data)
    chatModels.push(chatModel!)
  }
  return { entries, chatModels, embeddingModels, speechModels }
}

/**
 * Lists what a model is the default for. Unless one is named, the first that was installed takes the default from the
 * demo model. One in ONNX files calls no tools: it is the default for images alone.
 */
function defaultsOf(model: InstalledModel, before: InstalledChatModel[], wanted: ModelSource | undefined): string[] {
  const { form, callsTools } = model.facts
  const isNamed = wanted !== undefined && isFromSource(model.source, wanted)
  const isFirst = before.every(({ options }) => options.form !== form)
  const ofImages = form === 'onnx' && isFirst ? ['default_vision'] : []
  const isDefault = isNamed || (wanted === undefined && config().modelsFile === undefined && isFirst && form !== 'onnx')
  return [
    ...ofImages,
    ...(isDefault ? ['default'] : []),
    ...(isDefault && callsTools ? ['function_calling_default'] : []),
  ]
}

/** Returns what changes when models are installed or removed by any process. */
export async function versionOfInstalled(): Promise<string> {
  const { embeddedModels, modelHub } = config()
  return embeddedModels === 'off' ? '' : installedVersion(modelHub.folder)
}

function embeddingEntryOf(model: InstalledModel, dimensions: number) {
  const { facts } = model
  const input: ModelEntryInput = {
    ...commonOf(model),
    type: 'embedding',
    embeddingDimensions: dimensions,
    maxInputTokens: Math.min(facts.contextTokens, HUB_EMBEDDING_MAX_TOKENS),
    pricing: EMBEDDING_PRICING,
  }
  return ModelEntry.safeParse(input)
}

function speechEntryOf(model: InstalledModel, isMultilingual: boolean): ModelEntry {
  const languages = isMultilingual
    ? 'Transcribes speech in about a hundred languages and detects the language.'
    : 'Transcribes English speech.'
  const input: ModelEntryInput = {
    ...commonOf(model),
    type: 'asr',
    description: `${languages} ${descriptionOf(model)}`,
    pricing: SPEECH_PRICING,
  }
  return ModelEntry.parse(input)
}

function commonOf(model: InstalledModel) {
  return {
    id: model.id,
    name: model.facts.name || model.id,
    description: descriptionOf(model),
    engine: EMBEDDED_ENGINE,
    upstreamModel: model.id,
    created: Math.floor(Date.parse(model.installedAt) / 1_000),
    tier: 'XS',
    privacy: 'private',
    modelSource: model.page ?? '',
  } as const
}

function entryOf(model: InstalledModel, options: InstalledChatModel['options'], traits: string[]) {
  const { facts } = model
  const { contextTokens, projectorPath, form } = options
  const isOnnx = form === 'onnx'
  const seesImages = isOnnx || projectorPath !== undefined
  const input: ModelEntryInput = {
    ...commonOf(model),
    type: 'text',
    contextTokens,
    ...(seesImages && { imageTokens: Math.min(SMALL_IMAGE_TOKENS, contextTokens) }),
    maxCompletionTokens: Math.min(MAX_COMPLETION_TOKENS, Math.floor(contextTokens / 2)),
    capabilities: {
      supportsFunctionCalling: !isOnnx,
      supportsResponseSchema: !isOnnx,
      supportsLogProbs: !seesImages && textRuntime(process) === 'node-llama-cpp',
      supportsReasoning: facts.thinks,
      supportsVision: seesImages,
      supportsMultipleImages: seesImages,
      quantization: wireQuantization(facts.quantization),
    },
    traits,
    assist: ASSISTANTS,
    pricing: PRICING,
  }
  return ModelEntry.safeParse(input)
}

function descriptionOf({ source, license, facts, files }: InstalledModel): string {
  const size = formatSize(sizeOf({ files }))
  const terms = license === undefined ? '' : `, license ${license}`
  const origin = source.startsWith('hf:') ? ` from ${source.slice(3)}` : ''
  return `Runs inside this server: ${facts.quantization}, ${size}${origin}${terms}.`
}

function wireQuantization(quantization: string) {
  if (/^(MX|NV)?FP4/.test(quantization)) return 'fp4'
  if (/^I?Q4/.test(quantization)) return 'int4'
  if (/^(Q8|U?INT8)/.test(quantization)) return 'int8'
  if (quantization === 'BF16') return 'bf16'
  return quantization === 'F16' ? 'fp16' : 'not-available'
}

/**
 * Adds installed models to the entries given: an id or name that those have wins. The default among the installed models
 * takes its traits from the embedded ones, but not from a models file.
 */
export function withInstalled(given: ModelEntry[], installed: ModelEntry[]): ModelEntry[] {
  const names = new Set(given.flatMap(({ id, traits, aliases }) => [id, ...traits, ...aliases]))
  const added = installed.filter(({ id }) => !names.has(id))
  for (const { id } of installed.filter((entry) => !added.includes(entry))) {
    log().warn({ model: id }, 'installed model is not offered: another model has its id')
  }
  const isFile = config().modelsFile !== undefined
  const held = new Set(isFile ? given.filter(isText).flatMap(({ traits }) => traits) : [])
  const rest = added.map((entry) => {
    const traits = entry.traits.filter((trait) => !held.has(trait))
    for (const trait of traits) held.add(trait)
    return withKnownAssistants({ ...entry, traits }, names)
  })
  const kept = isFile ? given : given.map((entry) => withoutTraits(entry, held))
  return [...kept, ...rest]
}

const isText = ({ type }: ModelEntry): boolean => type === 'text'

function withoutTraits(entry: ModelEntry, taken: ReadonlySet<string>): ModelEntry {
  if (!isText(entry)) return entry
  return { ...entry, traits: entry.traits.filter((trait) => !taken.has(trait)) }
}

function withKnownAssistants(entry: ModelEntry, names: ReadonlySet<string>): ModelEntry {
  if (entry.type !== 'text' || entry.assist === undefined) return entry
  const { vision, audio } = entry.assist
  return {
    ...entry,
    assist: {
      ...(vision !== undefined && names.has(vision) && { vision }),
      ...(audio !== undefined && names.has(audio) && { audio }),
    },
  }
}
