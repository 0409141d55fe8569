import { expect, test } from 'vitest'
import { ModelEntry, type ModelEntryInput } from '@/lib/services/models/entry'
import { modelOf } from '@/lib/services/models/model'

const made = (entry: ModelEntryInput) => modelOf(ModelEntry.parse(entry), { privacy: 'private' })
const specOf = (entry: ModelEntryInput) => made(entry).record.model_spec as Record<string, unknown>

test('an embedding model takes what its file says, but never more than the interface allows', () => {
  const entry = { type: 'embedding', id: 'e', engine: 'house' } as const
  expect(made(entry).embedding).toEqual({ dimensions: undefined, maxInputTokens: 8_192, canShorten: false })
  expect(made({ ...entry, maxInputTokens: 512, embeddingDimensions: 4 }).embedding).toMatchObject({
    dimensions: 4,
    maxInputTokens: 512,
  })
  expect(made({ ...entry, maxInputTokens: 100_000 }).embedding?.maxInputTokens).toBe(8_192)
  expect(made({ ...entry, engine: 'embedded' }).embedding?.maxInputTokens).toBe(256)
})

test('a speech model lists the formats that can be had, and no voice that cannot be cloned', () => {
  const voice_cloning = {
    mode: 'zero_shot' as const,
    accepted_formats: ['wav'],
    min_sample_seconds: 3,
    retention_days: 7,
  }
  const entry = { type: 'tts', id: 't', engine: 'house', voices: ['Ada'], voice_cloning } as const
  const spec = specOf({ ...entry, voices: [...entry.voices], supported_formats: ['wav', 'midi', 'mp3'] })
  expect(spec).toMatchObject({ voices: ['Ada'], supported_formats: ['mp3', 'wav'], default_format: 'mp3' })
  expect(spec).not.toHaveProperty('voice_cloning')
  const chosen = specOf({ type: 'tts', id: 't', engine: 'house', default_format: 'opus' })
  expect(chosen.default_format).toBe('opus')
})

test('the embedded voices are the engine’s own', () => {
  const spec = specOf({ type: 'tts', id: 't', engine: 'embedded', supports_custom_voice_id: true })
  expect(spec.voices).toContain('af_heart')
  expect(spec).not.toHaveProperty('supports_custom_voice_id')
})
