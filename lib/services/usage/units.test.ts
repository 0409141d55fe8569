import { expect, test } from 'vitest'
import { kindOf, partOf, unitOf, wireTypeOf } from '@/lib/services/usage/units'

test.each([
  ['atlas-llm-input-mtoken', 'LLM', 'tokens', 'chat', 'Input'],
  ['atlas-llm-output-mtoken', 'LLM', 'tokens', 'chat', 'Output'],
  ['atlas-llm-cache-read-mtoken', 'LLM', 'tokens', 'chat', 'Cache Read'],
  ['atlas-llm-cache-write-mtoken', 'LLM', 'tokens', 'chat', 'Cache Write'],
  ['e5-embedding-input-mtoken', null, 'tokens', 'embeddings', 'Input'],
  ['kokoro-tts-input-mchar', 'TTS', 'chars', 'audio', 'Input'],
  ['whisper-asr-second', 'ASR', 'seconds', 'audio', undefined],
  ['reel-video-second-720p', 'VIDEO', 'seconds', 'video', undefined],
  ['brush-image-unit', 'IMAGE', 'images', 'images', undefined],
  ['cutter-background-removal-unit', 'IMAGE', 'images', 'images', undefined],
  ['image-prompt-enhancement', null, 'requests', 'images', undefined],
  ['crypto-rpc-base-mainnet', null, 'credits', 'rpc', undefined],
  ['web-search', 'LLM', 'requests', 'web', undefined],
  ['something', null, 'requests', 'other', undefined],
])('%s of %s counts %s and is %s', (sku, type, unit, kind, part) => {
  expect([unitOf(sku), kindOf(type, sku), partOf(sku)]).toEqual([unit, kind, part])
})

test('a type that the contract does not name is none', () => {
  expect(['LLM', 'VIDEO', 'MUSIC', null].map(wireTypeOf)).toEqual(['LLM', 'VIDEO', null, null])
})
