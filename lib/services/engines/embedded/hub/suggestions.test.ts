import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { InstalledModel } from '@/lib/services/engines/embedded/hub/installed-model'
import { KNOWN_MODELS } from '@/lib/services/engines/embedded/hub/known-models'
import { contextThatFits } from '@/lib/services/engines/embedded/hub/memory'
import { parseSource } from '@/lib/services/engines/embedded/hub/source'
import { readSpeeds, recordSpeed } from '@/lib/services/engines/embedded/hub/speed'
import { type Machine, suggestModels } from '@/lib/services/engines/embedded/hub/suggestions'

const GB = 1_000_000_000
const machine = (changes: Partial<Machine> = {}): Machine => ({
  memoryBytes: 16 * GB,
  freeDiskBytes: 100 * GB,
  cores: 8,
  processor: 'a processor',
  cpu: { threads: 4, isFast: true },
  seesImages: true,
  makesEmbeddings: true,
  ...changes,
})
const named = (name: string, ...rest: Parameters<typeof suggestModels>) =>
  suggestModels(...rest).find((model) => model.name === name)!

test('every known model names its source, size and license', () => {
  expect(KNOWN_MODELS.length).toBeGreaterThanOrEqual(20)
  expect(new Set(KNOWN_MODELS.map(({ source }) => source)).size).toBe(KNOWN_MODELS.length)
  for (const { source, sizeBytes, parameters } of KNOWN_MODELS) {
    expect(parseSource(source)).toMatchObject({ type: 'hub', quantization: expect.any(String) })
    // Half a byte to a little more than one for each parameter.
    expect(sizeBytes / (parameters * GB)).toBeGreaterThan(0.5)
    expect(sizeBytes / (parameters * GB)).toBeLessThan(1.2)
  }
})

test('the largest that write fluently come first, those that do not fit last', () => {
  const suggestions = suggestModels(machine(), {}, [])
  expect(suggestions[0]).toMatchObject({ fits: 'well' })
  expect(suggestions.at(-1)).toMatchObject({ fits: 'no' })
  const well = suggestions.filter(({ fits }) => fits === 'well').map(({ sizeBytes }) => sizeBytes)
  expect(well).toEqual(well.toSorted((a, b) => b - a))
})

test.each([
  [2, ['SmolLM2 360M Instruct', 'Qwen3 0.6B'], 'Qwen3 4B Instruct 2507'],
  [8, ['Qwen3 4B Instruct 2507', 'Qwen3 8B'], 'Qwen3 14B'],
  [32, ['Qwen3 30B A3B Instruct 2507'], undefined],
])('%i GB of memory decide what fits', (gigabytes, fitting, notFitting) => {
  const small = machine({ memoryBytes: gigabytes * GB })
  for (const name of fitting) expect(named(name, small, {}, []).fits).not.toBe('no')
  if (notFitting) expect(named(notFitting, small, {}, []).fits).toBe('no')
})

test('a full disk suggests nothing, and a slow processor less', () => {
  const full = suggestModels(machine({ freeDiskBytes: 0 }), {}, [])
  expect(full.every(({ fits }) => fits === 'no')).toBe(true)
  const slow = machine({ cpu: { threads: 1, isFast: false } })
  expect(named('Qwen3 8B', slow, {}, []).fits).toBe('slowly')
})

test('experts write faster than their size says', () => {
  const large = machine({ memoryBytes: 64 * GB })
  const experts = named('Qwen3 30B A3B Instruct 2507', large, {}, []).estimatedTokensPerSecond
  const dense = named('Mistral Small 3.2 24B Instruct', large, {}, []).estimatedTokensPerSecond
  expect(experts).toBeGreaterThan(dense * 3)
})

test('an answer corrects the estimates of its own model and of others', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'speeds-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const before = named('Qwen3 8B', machine(), {}, []).estimatedTokensPerSecond
  const weightBytes = 397_000_000
  const small = named('Qwen3 0.6B', machine(), {}, []).estimatedTokensPerSecond
  // Half as fast as estimated.
  await recordSpeed(dataDir, { model: 'qwen3-0.6b', weightBytes, tokens: 100, milliseconds: (100_000 / small) * 2 })
  await recordSpeed(dataDir, { model: 'too-short', weightBytes, tokens: 3, milliseconds: 1 })
  const speeds = await readSpeeds(dataDir)
  expect(Object.keys(speeds)).toEqual(['qwen3-0.6b'])
  const installed = [{ id: 'qwen3-0.6b', source: 'hf:unsloth/Qwen3-0.6B-GGUF:Q4_K_M' } as InstalledModel]
  const own = named('Qwen3 0.6B', machine(), speeds, installed)
  expect(own).toMatchObject({ installedId: 'qwen3-0.6b' })
  expect(own.estimatedTokensPerSecond).toBeCloseTo(small / 2, 0)
  expect(named('Qwen3 8B', machine(), speeds, []).estimatedTokensPerSecond).toBeCloseTo(before / 2, 0)
})

test('context takes a quarter of the memory at most, and no more than the model was trained with', () => {
  const needs = { weightBytes: GB, cacheBytesPerToken: 100_000, contextTokens: 40_960 }
  expect(contextThatFits(needs, 64 * GB)).toBe(32_768)
  expect(contextThatFits({ ...needs, contextTokens: 512 }, 64 * GB)).toBe(512)
  // A quarter of 8 GB for two sequences of 100 KB a token, in steps of 256.
  expect(contextThatFits(needs, 8 * GB)).toBe(9_984)
  expect(contextThatFits(needs, 2.3 * GB)).toBe(2_304)
  expect(contextThatFits(needs, 1.5 * GB)).toBeUndefined()
})

test('models for images are suggested, and projectors counted, where models see', () => {
  const gemma = (seesImages: boolean) => named('Gemma 3 4B', machine({ seesImages }), {}, [])
  expect(gemma(true)).toMatchObject({ sizeBytes: 3_341_000_000, strengths: ['chat', 'languages', 'images'] })
  expect(gemma(false)).toMatchObject({ sizeBytes: 2_490_000_000, strengths: ['chat', 'languages'] })
  const names = (seesImages: boolean) => suggestModels(machine({ seesImages }), {}, []).map(({ name }) => name)
  expect(names(true)).toContain('SmolVLM 500M Instruct')
  expect(names(false)).not.toContain('SmolVLM 500M Instruct')
  // Those in ONNX files need no projector.
  for (const seesImages of [true, false]) {
    const onnx = named('SmolVLM 256M Instruct, ONNX', machine({ seesImages }), {}, [])
    expect(onnx).toMatchObject({ sizeBytes: 260_000_000, strengths: ['chat', 'images'] })
  }
})

test('models for embeddings are suggested where they run', () => {
  const names = (makesEmbeddings: boolean) =>
    suggestModels(machine({ makesEmbeddings }), {}, []).map(({ name }) => name)
  expect(names(true)).toContain('EmbeddingGemma 300M')
  expect(names(false)).not.toContain('EmbeddingGemma 300M')
})
