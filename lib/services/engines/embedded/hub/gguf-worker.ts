/**
 * Entry of the child process that reads what a model file says of itself. It has no environment, little memory and
 * little time: a malformed or hostile file ends it, and nothing else. Node runs it as it stands.
 */
import { open, stat } from 'node:fs/promises'
import path from 'node:path'
import {
  type GgufFileInfo,
  GgufFileType,
  getLlama,
  JinjaTemplateChatWrapper,
  LlamaLogLevel,
  readGgufFileInfo,
} from 'node-llama-cpp'
import { textRuntime } from '../chat/runtime.ts'
import { hasToolTags } from '../chat/tool-tags.ts'
import { reportFacts, Unusable } from './inspect.ts'
import { ModelFacts } from './installed-model.ts'
import { partNames } from './repository-files.ts'

const MAX_RESIDENT_BYTES = 2_000_000_000
const MAX_TENSORS = 1_000_000n
const MAX_METADATA_ENTRIES = 100_000n
const MAX_TEMPLATE_CHARS = 200_000
const CACHE_BYTES_PER_VALUE = 2
const VOCABULARY_CONTEXT_TOKENS = 64

// The last one is for tests.
const [file = '', projector = '', runtime = textRuntime(process)] = process.argv.slice(2)
reportFacts(MAX_RESIDENT_BYTES, () => factsOf(file, projector))

async function factsOf(modelPath: string, projectorPath: string): Promise<ModelFacts> {
  await assertHeader(modelPath)
  const info = await readGgufFileInfo(modelPath, { sourceType: 'filesystem', logWarnings: false })
  const name = path.basename(modelPath)
  const embedding = embeddingOf(info)
  if (embedding) {
    if (runtime === 'llama.node') {
      throw new Unusable(`Embedding models of the hub cannot be run on ${process.platform} ${process.arch} yet.`)
    }
    await loadVocabulary(modelPath)
    return factsWith(info, {
      contextTokens: Number(info.architectureMetadata.context_length ?? 0),
      cacheBytesPerToken: 0,
      weightBytes: await weightBytes(modelPath),
      callsTools: false,
      thinks: false,
      embedding,
    })
  }
  const template = info.metadata.tokenizer?.chat_template
  if (typeof template !== 'string' || template === '') {
    throw new Unusable(`${name} has no chat template, so it cannot be used for chat. Choose an instruct or chat model.`)
  }
  if (template.length > MAX_TEMPLATE_CHARS) throw new Error('the chat template is too long')
  renderTemplate(template)
  await loadVocabulary(modelPath)
  const seesImages = projectorPath !== '' && (await readsImages(projectorPath))
  return factsWith(info, {
    contextTokens: Number(info.architectureMetadata.context_length ?? 0),
    cacheBytesPerToken: cacheBytesPerToken(info),
    weightBytes: (await weightBytes(modelPath)) + (seesImages ? (await stat(projectorPath)).size : 0),
    callsTools: hasToolTags(template),
    thinks: /<think>|enable_thinking|reasoning_content/.test(template),
    seesImages,
  })
}

function factsWith(info: GgufFileInfo, found: Partial<ModelFacts>): ModelFacts {
  const { general } = info.metadata
  return ModelFacts.parse({
    name: general.name,
    architecture: String(general.architecture),
    license: typeof general.license === 'string' ? general.license : undefined,
    quantization: quantizationName(info),
    parameters: parametersOf(info),
    ...found,
  })
}

/** How the vectors of a text's tokens become one: only models for embeddings say it. Source: llama.cpp, `llama_pooling_type`. */
const POOLING = { mean: 1, cls: 2, last: 3 }

function embeddingOf({ architectureMetadata }: GgufFileInfo): ModelFacts['embedding'] {
  const { pooling_type: pooling, embedding_length: dimensions } = architectureMetadata as Record<string, unknown>
  return Object.values(POOLING).includes(Number(pooling)) ? { dimensions: Number(dimensions) } : undefined
}

/** Tells whether a projector is one of images; others are of sound. @throws Error when it is cut off. */
async function readsImages(projectorPath: string): Promise<boolean> {
  await assertHeader(projectorPath)
  const { metadata, tensorInfo = [] } = await readGgufFileInfo(projectorPath, {
    sourceType: 'filesystem',
    logWarnings: false,
  })
  const { size } = await stat(projectorPath)
  if (tensorInfo.length === 0 || tensorInfo.some(({ fileOffset }) => Number(fileOffset) >= size)) {
    throw new Error('the projector is cut off')
  }
  const clip = (metadata as { clip?: { has_vision_encoder?: unknown } }).clip
  return clip?.has_vision_encoder === true
}

/** Refuses counts that no model has before anything is read for each of them. */
async function assertHeader(modelPath: string): Promise<void> {
  const handle = await open(modelPath)
  try {
    const head = Buffer.alloc(24)
    await handle.read(head, 0, head.length, 0)
    const isSane = head.readBigUInt64LE(8) <= MAX_TENSORS && head.readBigUInt64LE(16) <= MAX_METADATA_ENTRIES
    if (!isSane) throw new Error('the header is not that of a model')
  } finally {
    await handle.close()
  }
}

/**
 * Has the runtime read vocabulary and tensor table, which finds unknown architectures and files that are cut off; its
 * error output says which. llama.node ends the process at them.
 */
async function loadVocabulary(modelPath: string): Promise<void> {
  if (runtime === 'llama.node') {
    const { loadModel } = await import('../chat/llama-node.ts')
    const load = { n_ctx: VOCABULARY_CONTEXT_TOKENS, n_parallel: 1, n_threads: 1, n_gpu_layers: 0 } as const
    await loadModel({ model: modelPath, ...load, vocab_only: true })
    return
  }
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error, maxThreads: 1 })
  await llama.loadModel({ modelPath, vocabOnly: true })
}

/** @throws Error when the chat template is not a valid one. */
function renderTemplate(template: string): void {
  const wrapper = new JinjaTemplateChatWrapper({ template, functionCallMessageTemplate: 'noJinja' })
  const chatHistory = [
    { type: 'user' as const, text: 'Hello' },
    { type: 'model' as const, response: [] },
  ]
  wrapper.generateContextState({ chatHistory })
}

function quantizationName({ metadata }: GgufFileInfo): string {
  const type = metadata.general.file_type
  const name = type === undefined ? undefined : GgufFileType[type]
  return name?.replace(/^(ALL|MOSTLY)_/, '') ?? 'unknown'
}

function parametersOf({ fullTensorInfo = [] }: GgufFileInfo): number {
  return fullTensorInfo.reduce(
    (sum, { dimensions }) => sum + dimensions.reduce<number>((product, dimension) => product * Number(dimension), 1),
    0,
  )
}

/** Keys and values of all layers. An upper bound: layers with a sliding window keep less. */
function cacheBytesPerToken({ architectureMetadata }: GgufFileInfo): number {
  const { block_count, embedding_length, attention } = architectureMetadata
  const layers = Number(block_count ?? 0)
  const heads = firstNumber(attention?.head_count) || 1
  const headWidth = Number(embedding_length ?? 0) / heads
  const keyWidth = Number(attention?.key_length ?? headWidth)
  const valueWidth = Number(attention?.value_length ?? headWidth)
  const given: unknown = attention?.head_count_kv ?? attention?.head_count
  const keyHeads = Array.isArray(given)
    ? given.reduce<number>((sum, count) => sum + Number(count), 0)
    : Number(given ?? 0) * layers
  return Math.ceil(keyHeads * (keyWidth + valueWidth) * CACHE_BYTES_PER_VALUE)
}

function firstNumber(value: unknown): number {
  return Number(Array.isArray(value) ? (value.find((one) => Number(one) > 0) ?? 0) : (value ?? 0))
}

async function weightBytes(modelPath: string): Promise<number> {
  const sizes = await Promise.all(partNames(modelPath).map(async (part) => (await stat(part)).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
