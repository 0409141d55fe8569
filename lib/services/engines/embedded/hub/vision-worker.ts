/**
 * Entry of the child process that reads what the files of a vision-language model say, and has the model answer about an
 * image, which finds files that do not fit each other. It has no environment and little time. Node runs it as it stands.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import type { ModelOptions } from '../chat/chat-protocol.ts'
import {
  answer,
  bytesPerToken,
  loadVisionModel,
  readChatTemplate,
  readMessages,
  readPrompt,
} from '../chat/vision-model.ts'
import { assertType, reportOnnxFacts, Unusable } from './inspect.ts'
import { ModelFacts } from './installed-model.ts'

const WORK_BYTES = 3_000_000_000
const MAX_TEMPLATE_CHARS = 200_000
const TYPES = ['idefics3', 'smolvlm']
const NETWORKS = ['decoder_model_merged.onnx', 'vision_encoder.onnx', 'embed_tokens.onnx']
const IMAGE = { width: 64, height: 48, channels: 3, background: '#336699' } as const
const CONTEXT_TOKENS = 2_048

const [folder = '', quantization = 'unknown', source = ''] = process.argv.slice(2)
await reportOnnxFacts({ folder, networks: NETWORKS, workBytes: WORK_BYTES }, factsOf)

type Config = { model_type: string; text_config?: { max_position_embeddings?: number } }

async function factsOf(weightBytes: number): Promise<ModelFacts> {
  await assertType(folder, TYPES, { about: 'Models for images', advice: 'Choose a SmolVLM model.' })
  const config = JSON.parse(await readFile(path.join(folder, 'config.json'), 'utf8')) as Config
  const template = await readChatTemplate(folder)
  if (template === undefined) {
    throw new Unusable(
      'The model has no chat template, so it cannot be used for chat. Choose an instruct or chat model.',
    )
  }
  if (template.length > MAX_TEMPLATE_CHARS) throw new Error('the chat template is too long')
  return ModelFacts.parse({
    name: nameOf(source),
    architecture: config.model_type,
    quantization,
    contextTokens: config.text_config?.max_position_embeddings,
    cacheBytesPerToken: await askOnce(),
    weightBytes,
    callsTools: false,
    thinks: false,
    seesImages: true,
    form: 'onnx',
  })
}

/** Counts the bytes of a token of context. @throws Error when the files do not fit each other. */
async function askOnce(): Promise<number> {
  const options: ModelOptions = {
    modelPath: path.join(folder, NETWORKS[0]!),
    form: 'onnx',
    contextTokens: CONTEXT_TOKENS,
    sequences: 1,
    threads: 1,
    defaults: { temperature: 0, topP: 1, topK: 1, repetitionPenalty: 1 },
    turnMarks: [],
  }
  const model = await loadVisionModel(options)
  const image = await sharp({ create: IMAGE }).png().toBuffer()
  const url = `data:image/png;base64,${image.toString('base64')}`
  const content = [
    { type: 'text' as const, text: 'What is this?' },
    { type: 'image_url' as const, image_url: { url } },
  ]
  const request = {
    model: '',
    messages: [{ role: 'user' as const, content }],
    sampling: {},
    n: 1,
    maxTokens: 2,
    stop: [],
    extra: {},
  }
  const { signal } = new AbortController()
  await answer(model, request, async () => undefined, signal)
  return bytesPerToken(await readPrompt(model, await readMessages(model, request), signal))
}

/** Makes a name of the repository: `hf:owner/SmolVLM-256M-Instruct` is SmolVLM 256M Instruct. */
const nameOf = (text: string): string | undefined => /^hf:[^/]+\/([^/:]+)/.exec(text)?.[1]?.replace(/[-_]+/g, ' ')
