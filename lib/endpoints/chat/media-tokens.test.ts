import { expect, test } from 'vitest'
import { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import { mediaRoutes, planAttachments } from '@/lib/endpoints/chat/attachments'
import {
  addTokens,
  audioTokens,
  imageTokens,
  NO_TOKENS,
  secondsAtMost,
  unreadTokens,
  videoTokens,
} from '@/lib/endpoints/chat/media-tokens'
import type { Model } from '@/lib/services/models/model'

const model = {
  id: 'all',
  contextTokens: 100_000,
  capabilities: {
    supportsVision: true,
    supportsMultipleImages: true,
    supportsAudioInput: true,
    supportsVideoInput: true,
  },
} as Model
const routes = mediaRoutes(model, {})

function unread(parts: unknown[], one = model): number {
  const { messages } = ChatCompletionRequest.parse({ model: 'm', messages: [{ role: 'user', content: parts }] })
  return unreadTokens(planAttachments(messages, one, routes), routes, one)
}

test('an estimate is never above the bound, and both are whole', () => {
  const all = [
    imageTokens({ width: 2048, height: 2048 }),
    imageTokens({ width: 64, height: 64 }),
    audioTokens(0.3),
    videoTokens(601.7),
  ]
  for (const { estimate, most: max } of [...all, addTokens(all)]) {
    expect(estimate).toBeGreaterThan(0)
    expect(estimate).toBeLessThanOrEqual(max)
    expect([Number.isInteger(estimate), Number.isInteger(max)]).toEqual([true, true])
  }
})

test('a small image is reckoned as what its model makes of it at least', () => {
  const estimate = (side: number, least?: number) => imageTokens({ width: side, height: side }, least).estimate
  expect([estimate(75), estimate(75, 1_500), estimate(1_500, 1_500)]).toEqual([8, 1_500, 3_000])
  expect(mediaRoutes({ ...model, imageTokens: 1_500 }, {}).imageTokens).toBe(1_500)
})

test('tokens add up, and nothing is nothing', () => {
  expect(addTokens([])).toEqual(NO_TOKENS)
  const [image, audio] = [imageTokens({ width: 750, height: 100 }), audioTokens(10)]
  expect(addTokens([image, audio])).toEqual({ estimate: 100 + 320, most: image.most + audio.most })
})

test('the length of unheard sound is bounded by its size', () => {
  // 40,000 bytes in base64 at a thousand bytes a second.
  expect(secondsAtMost('A'.repeat(53_336))).toBe(41)
  expect(secondsAtMost('A')).toBe(1)
})

test('what nobody has looked at is reckoned by its kind and size', () => {
  expect(unread([{ type: 'image_url', image_url: { url: 'https://a.example/x.png' } }])).toBe(2_000)
  expect(unread([{ type: 'input_audio', input_audio: { data: 'A'.repeat(4_000) } }])).toBe(3 * 32)
  expect(unread([{ type: 'video_url', video_url: { url: 'https://a.example/x.mp4' } }])).toBe(20_000)
  expect(unread([{ type: 'file', file: { file_data: 'https://a.example/x.pdf' } }])).toBe(20_000)
  expect(unread([{ type: 'file', file: { file_data: `data:text/plain,${'a'.repeat(2_985)}` } }])).toBe(1_001)
})

test('no more than the model can read', () => {
  const file = { type: 'file', file: { file_data: `data:text/plain,${'a'.repeat(9_000_000)}` } }
  expect(unread([file, file])).toBe(100_000)
})
