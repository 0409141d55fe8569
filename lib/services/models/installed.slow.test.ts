import { mkdtempSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { eventually } from '@/lib/kernel/testing/time'
import { closeEngines, embeddedChatEngine, listeningEngine } from '@/lib/services/engines/registry'
import { withEnvironment } from '@/lib/services/identity/testing'
import { catalogue, loadCatalogue, unloadCatalogue } from '@/lib/services/models/catalogue'

afterEach(async () => {
  unloadCatalogue()
  await closeEngines()
})

type Facts = {
  contextTokens?: number
  cacheBytesPerToken?: number
  weightBytes?: number
  thinks?: boolean
  name?: string
  transcription?: { isMultilingual: boolean }
  form?: 'onnx'
  quantization?: string
}

function folderOf() {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'installed-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const hub = path.join(dataDir, 'models', 'hub')
  const add = async (id: string, facts: Facts = {}, more: object = {}) => {
    const folder = path.join(hub, `.new-${id}`)
    await mkdir(folder, { recursive: true })
    await writeFile(path.join(folder, 'model.gguf'), 'GGUF')
    const model = {
      version: 1,
      id,
      source: `hf:some/${id}:Q4_K_M`,
      files: [{ name: 'model.gguf', sizeBytes: 4, sha256: '0'.repeat(64), isVerified: true }],
      installedAt: new Date().toISOString(),
      facts: {
        architecture: 'llama',
        quantization: 'Q4_K_M',
        contextTokens: 4_096,
        cacheBytesPerToken: 1_000,
        weightBytes: 1_000_000,
        callsTools: true,
        thinks: false,
        ...facts,
      },
      ...more,
    }
    await writeFile(path.join(folder, 'model.json'), JSON.stringify(model))
    await rename(folder, path.join(hub, id))
  }
  return { dataDir, hub, add }
}

const inside = (dataDir: string, run: () => Promise<void>, more: Record<string, string> = {}) =>
  withEnvironment({ DATA_DIR: dataDir, LOCAL_ENGINES: 'off', LOG_LEVEL: 'silent', ...more }, run)

test('an installed model is listed with what its file says, and is the default in place of the demo model', async () => {
  const { dataDir, add } = folderOf()
  await add('atlas-7b', { name: 'Atlas\u0000\n 7B', thinks: true }, { license: 'mit' })
  await inside(dataDir, async () => {
    await loadCatalogue()
    const model = catalogue().byId.get('atlas-7b')!
    expect(model).toMatchObject({
      name: 'Atlas 7B',
      engine: 'embedded',
      privacy: 'private',
      contextTokens: 4_096,
      maxCompletionTokens: 2_048,
      capabilities: { supportsReasoning: true, supportsFunctionCalling: true },
      assist: { vision: 'image-reader', audio: 'moonshine-tiny' },
    })
    expect(model.record.model_spec).toMatchObject({ capabilities: { quantization: 'int4' } })
    expect(model.rates).toBeDefined()
    expect(catalogue().traits('text', Date.now()).get('default')).toBe(model)
    expect(catalogue().traits('text', Date.now()).get('function_calling_default')).toBe(model)
    expect(embeddedChatEngine()?.state()).toContainEqual(
      expect.objectContaining({ model: 'atlas-7b', state: 'asleep' }),
    )
  })
})

test('a speech model is offered for transcription, and is no default for chat', async () => {
  const { dataDir, add } = folderOf()
  await add('whisper-base-int8', { name: 'Whisper Base', transcription: { isMultilingual: true } })
  await add('whisper-base.en-int8', { transcription: { isMultilingual: false } })
  await inside(dataDir, async () => {
    await loadCatalogue()
    expect(catalogue().byId.get('whisper-base-int8')).toMatchObject({ type: 'asr', name: 'Whisper Base' })
    const described = (text: string) => ({
      record: { model_spec: { description: expect.stringContaining(text) as string } },
    })
    expect(catalogue().byId.get('whisper-base-int8')).toMatchObject(described('about a hundred languages'))
    expect(catalogue().byId.get('whisper-base.en-int8')).toMatchObject(described('Transcribes English speech.'))
    expect(catalogue().traits('text', Date.now()).get('default')?.id).toBe('tinyllama-1.1b-chat')
    expect(listeningEngine()?.state('whisper-base-int8')).toMatchObject({ state: 'asleep' })
  })
})

test('a model for images in ONNX files sees on every system, and is the default for images alone', async () => {
  const { dataDir, add } = folderOf()
  await add('tiny-sees-int8', { form: 'onnx', quantization: 'INT8' })
  const check = async () => {
    await loadCatalogue()
    const model = catalogue().byId.get('tiny-sees-int8')!
    expect(model).toMatchObject({
      capabilities: {
        supportsVision: true,
        supportsMultipleImages: true,
        supportsFunctionCalling: false,
        supportsResponseSchema: false,
        supportsLogProbs: false,
      },
    })
    expect(model.record.model_spec).toMatchObject({ capabilities: { quantization: 'int8' } })
    const traits = catalogue().traits('text', Date.now())
    expect(traits.get('default_vision')).toBe(model)
    expect(traits.get('default')?.id).toBe('tinyllama-1.1b-chat')
    unloadCatalogue()
  }
  for (const EMBEDDED_VISION of ['off', 'on']) await inside(dataDir, check, { EMBEDDED_VISION })
})

test('what another process installs or removes is noticed', async () => {
  const { dataDir, hub, add } = folderOf()
  await inside(dataDir, async () => {
    await loadCatalogue()
    await add('later-1b')
    await eventually(() => expect(catalogue().byId.has('later-1b')).toBe(true))
    await rm(path.join(hub, 'later-1b'), { recursive: true })
    await eventually(() => expect(catalogue().byId.has('later-1b')).toBe(false))
  })
})

test('a models file keeps its ids and names', async () => {
  const { dataDir, add } = folderOf()
  await add('atlas')
  await add('other-1b')
  const file = path.join(dataDir, 'models.yaml')
  await writeFile(
    file,
    'engines: { house: { kind: openai, baseUrls: ["http://127.0.0.1:9/v1"] } }\nmodels: [{ id: atlas, type: text, engine: house, traits: [function_calling_default] }]',
  )
  await inside(
    dataDir,
    async () => {
      await loadCatalogue()
      expect(catalogue().byId.get('atlas')?.engine).toBe('house')
      expect(catalogue().byId.get('other-1b')).toMatchObject({ engine: 'embedded', assist: {} })
      const traits = catalogue().traits('text', Date.now())
      expect(traits.get('function_calling_default')?.id).toBe('atlas')
      // The file names no default, and the operator names one of the hub.
      expect(traits.get('default')?.id).toBe('other-1b')
    },
    { MODELS_FILE: file, EMBEDDED_MODELS: 'hf:some/other-1b' },
  )
})

test('what is too large, incomplete or not in order is not offered', async () => {
  const { dataDir, hub, add } = folderOf()
  await add('huge', { weightBytes: 1e15 })
  await add('cut-off', {}, { files: [{ name: 'model.gguf', sizeBytes: 5, sha256: '0'.repeat(64), isVerified: true }] })
  await add('other-id', {}, { id: 'another' })
  await add('outside', {}, { files: [{ name: '../x.gguf', sizeBytes: 4, sha256: '0'.repeat(64), isVerified: true }] })
  await mkdir(path.join(hub, 'empty'))
  await mkdir(path.join(hub, '.downloads'))
  await add('good')
  await inside(dataDir, async () => {
    await loadCatalogue()
    const ids = [...catalogue().byId.keys()]
    expect(ids).toContain('good')
    for (const id of ['huge', 'cut-off', 'other-id', 'another', 'outside', 'empty']) expect(ids).not.toContain(id)
  })
})
