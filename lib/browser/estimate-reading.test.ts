import { expect, test } from 'vitest'
import { hearingPrices } from '@/components/chat/voice/voice-models'
import { needsHearing, readingPrice } from '@/lib/browser/estimate'
import { attachmentOf } from '@/lib/browser/files/testing'
import { modelCards } from '@/lib/browser/models'
import { usd } from '@/lib/contract/money'

const text = (id: string, capabilities: object = {}, input = 1, output = 3) => ({
  id,
  model_spec: {
    name: id,
    capabilities,
    pricing: { input: { usd: input }, output: { usd: output } },
    maxCompletionTokens: 1_000,
  },
})
const LIST = {
  data: [text('helped'), text('whole', { supportsVision: true, supportsAudioInput: true }), text('reader', {}, 2, 4)],
}
const ASSISTS = {
  helped: { images: 'reader', audio: 'ear' },
  whole: { images: 'reader', audio: 'ear' },
}
const [HELPED, WHOLE, READER] = modelCards(LIST, ASSISTS) as [
  ReturnType<typeof modelCards>[number],
  ReturnType<typeof modelCards>[number],
  ReturnType<typeof modelCards>[number],
]
const HEARING = hearingPrices([
  { id: 'ear', model_spec: { pricing: { per_audio_second: { usd: 0.0001 } } } },
  { id: 'free', model_spec: { pricing: { per_audio_second: { usd: 0 } } } },
])

test('each picture is described, by the price of the model that describes', () => {
  const one = readingPrice([attachmentOf('image')], HELPED)
  // 8,392 tokens in at $2, and the thousand out that it can write at $4, of a million.
  expect(one.max).toBe(usd('0.020784'))
  expect(one.likely).toBe(usd('0.005'))
  expect(readingPrice([attachmentOf('image'), attachmentOf('image')], HELPED).max).toBe(usd('0.041568'))
})

test('each begun second of a recording is heard; one of unknown length may be as long as any', () => {
  expect(readingPrice([attachmentOf('audio', { durationMs: 9_200 })], HELPED, HEARING).max).toBe(usd('0.001'))
  expect(readingPrice([attachmentOf('audio')], HELPED, HEARING)).toEqual({ likely: usd('0.006'), max: usd('0.18') })
  expect(readingPrice([attachmentOf('audio')], HELPED).max).toBe(0n)
})

test('a film is eight pictures and its sound', () => {
  const video = attachmentOf('video', { durationMs: 10_000 })
  const images = Array.from({ length: 8 }, () => attachmentOf('image'))
  const { max } = readingPrice([video], HELPED, HEARING)
  expect(max).toBe(readingPrice(images, HELPED).max + usd('0.001'))
})

test('what a model sees and hears itself, and documents, nobody reads for it', () => {
  const files = [attachmentOf('image'), attachmentOf('audio'), attachmentOf('document')]
  expect(readingPrice(files, WHOLE, HEARING).max).toBe(0n)
  expect(readingPrice([attachmentOf('document')], HELPED, HEARING).max).toBe(0n)
  expect(readingPrice(files, READER, HEARING).max).toBe(0n)
})

test('the prices of hearing are asked for only where something is heard', () => {
  expect(needsHearing([attachmentOf('audio')], HELPED)).toBe(true)
  expect(needsHearing([attachmentOf('image')], HELPED)).toBe(false)
  expect(needsHearing([attachmentOf('audio')], WHOLE)).toBe(false)
})
