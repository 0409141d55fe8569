import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { speechModelOf } from '@/lib/services/engines/embedded/hub/chat-models'
import { pullModel } from '@/lib/services/engines/embedded/hub/downloads'
import { listInstalled } from '@/lib/services/engines/embedded/hub/installed-model'
import { parseSource } from '@/lib/services/engines/embedded/hub/source'
import { MemoryBudget } from '@/lib/services/engines/embedded/memory-budget'
import { createSpeech } from '@/lib/services/engines/embedded/speech/speech'
import { startHub } from '@/lib/services/engines/embedded/testing/hub'
import { createTranscription } from '@/lib/services/engines/embedded/transcription/transcription'
import { ensureWeights } from '@/lib/services/engines/embedded/weights/weights'
import { withEnvironment } from '@/lib/services/identity/testing'
import { to16kHz } from '@/lib/services/media/testing'
import { joined } from '@/lib/services/media/wav'

const DOWNLOAD_MS = 300_000
const MULTILINGUAL = 'some/whisper-tiny'
const ENGLISH = 'some/whisper-tiny.en'
const weights = path.resolve('.cache')
const open = new AbortController().signal

let hub: Awaited<ReturnType<typeof startHub>>
let dataDir: string
let said: Float32Array

/** The real weights, in the layout of a repository for transformers.js. */
async function repositories() {
  const paths = await ensureWeights('whisper-tiny', { dataDir: weights })
  const read = (name: string) => readFile(paths[name]!)
  const files = {
    'README.md': Buffer.from('# Whisper'),
    'config.json': await read('config.json'),
    'generation_config.json': await read('generation.json'),
    'tokenizer.json': await read('tokenizer.json'),
    'tokenizer_config.json': await read('tokenizer_config.json'),
    'onnx/encoder_model_quantized.onnx': await read('encoder.onnx'),
    'onnx/decoder_model_merged_quantized.onnx': await read('decoder.onnx'),
  }
  const { lang_to_id: _, task_to_id: __, ...english } = JSON.parse(files['generation_config.json'].toString())
  return {
    [MULTILINGUAL]: { files, license: 'apache-2.0' },
    // A model for English alone has the same settings without languages and tasks.
    [ENGLISH]: { files: { ...files, 'generation_config.json': Buffer.from(JSON.stringify(english)) } },
  }
}

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'hub-speech-'))
  hub = await startHub(await repositories())
  const mouth = createSpeech({ dataDir: weights, profile: 'lean' })
  const pieces = await Array.fromAsync(
    mouth.speak({ text: 'Water boils on the stove. We go home by train.', voice: 'af_heart' }, open),
  )
  said = joined(pieces.map(({ samples }) => to16kHz(samples)))
  await mouth.close()
}, DOWNLOAD_MS)
afterAll(async () => {
  await hub?.close()
  await rm(dataDir, { recursive: true, force: true })
})

const folder = () => path.join(dataDir, 'models', 'hub')

/** Installs a repository. @returns what is installed, and an engine that runs it */
async function install(repository: string) {
  const environment = { DATA_DIR: dataDir, HF_ENDPOINT: hub.origin, LOG_LEVEL: 'silent' }
  const id = await withEnvironment(environment, () => pullModel(parseSource(`hf:${repository}`)))
  return (await listInstalled(folder())).find((model) => model.id === id)!
}

const hear = (ear: ReturnType<typeof createTranscription>, model: string) =>
  ear.transcribe({ model, sound: said }, open)

test(
  'a speech model of the hub is installed, described from its files, and writes down what is said',
  async () => {
    const model = await install(MULTILINGUAL)
    expect(model).toMatchObject({
      id: 'whisper-tiny-int8',
      source: `hf:${MULTILINGUAL}:INT8`,
      license: 'apache-2.0',
      files: [
        'encoder.onnx',
        'decoder.onnx',
        'config.json',
        'generation.json',
        'tokenizer.json',
        'tokenizer_config.json',
      ].map((name) => ({ name, isVerified: true })),
      facts: {
        name: 'Whisper Tiny',
        architecture: 'whisper',
        quantization: 'INT8',
        contextTokens: 448,
        // Four layers of 384 keys and 384 values of four bytes.
        cacheBytesPerToken: 12_288,
        weightBytes: 10_124_910 + 30_727_765,
        transcription: { isMultilingual: true },
      },
    })
    const ear = createTranscription({ dataDir, budget: new MemoryBudget(() => ({ budget: 1e9, available: 1e9 })) })
    try {
      ear.setInstalled([speechModelOf(model, folder())])
      const { text, language } = await hear(ear, model.id)
      expect([
        text
          .toLowerCase()
          .match(/[a-z]+/g)
          ?.join(' '),
        language,
      ]).toEqual(['water boils on the stove we go home by train', 'en'])
      const { processId } = ear.state(model.id)!
      // The same model keeps its process, one that is removed loses it.
      ear.setInstalled([speechModelOf(model, folder())])
      expect(ear.state(model.id)).toMatchObject({ state: 'ready', processId })
      ear.setInstalled([])
      await expect(hear(ear, model.id)).rejects.toThrow('no embedded speech model whisper-tiny-int8')
    } finally {
      await ear.close()
    }
  },
  DOWNLOAD_MS,
)

test(
  'a model for English alone is asked for no language, and says none',
  async () => {
    const model = await install(ENGLISH)
    expect(model.facts.transcription).toEqual({ isMultilingual: false })
    const ear = createTranscription({ dataDir })
    try {
      ear.setInstalled([speechModelOf(model, folder())])
      // These weights were not made for it, so what they write says nothing.
      expect(await hear(ear, model.id)).toEqual({ text: expect.any(String) })
    } finally {
      await ear.close()
    }
  },
  DOWNLOAD_MS,
)

test('a model that the memory does not hold is not loaded, and says so', async () => {
  const ear = createTranscription({ dataDir, budget: new MemoryBudget(() => ({ budget: 1e8, available: 1e9 })) })
  const model = { name: 'large', version: '1', paths: {}, weightBytes: 1e9, neededBytes: 1.2e9 }
  ear.setInstalled([model])
  await expect(hear(ear, 'large')).rejects.toThrow('The model needs 1.2 GB of memory, and 100 MB are free')
  await ear.close()
})
