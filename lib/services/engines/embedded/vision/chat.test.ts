import { expect, test } from 'vitest'
import { estimateTokens } from '@/lib/services/engines/embedded/estimate-tokens'
import { chatRequest, collect } from '@/lib/services/engines/embedded/testing/random-chat-model'
import { readConversation } from '@/lib/services/engines/embedded/vision/chat'
import type { ChatMessage, ChatRequest, ContentPart } from '@/lib/services/engines/engine'

const image = (text: string): ContentPart => {
  return { type: 'image_url', image_url: { url: `data:image/png;base64,${Buffer.from(text).toString('base64')}` } }
}
const user = (...content: ContentPart[]): ChatMessage => ({ role: 'user', content })

const echo = {
  read: async (bytes: Uint8Array) => {
    return { text: Buffer.from(bytes).toString(), objects: [], width: 300, height: 100, hasDetector: true }
  },
}

const ask = (messages: ChatMessage[], more: Partial<ChatRequest> = {}) =>
  collect(readConversation(echo, chatRequest({ messages, ...more }), new AbortController().signal))

test('a picture is read, and its pixels and the text count as input', async () => {
  const { text, reasons, usage } = await ask([user({ type: 'text', text: 'what is it?' }, image('Hello'))])
  expect(text).toBe('Text in the image:\nHello')
  expect(reasons).toEqual(['stop'])
  expect(usage).toMatchObject({ inputTokens: 40 + estimateTokens('what is it?') })
  expect(usage!.outputTokens).toBeGreaterThan(5)
})

test('several pictures are numbered, and those of earlier messages are left alone', async () => {
  const messages = [user(image('old')), user(image('one'), image('two')), user({ type: 'text', text: 'and?' })]
  const { text } = await ask(messages)
  expect(text).toBe('Image 1:\nText in the image:\none\n\nImage 2:\nText in the image:\ntwo')
})

test('without a picture it says what it needs', async () => {
  const { text, reasons } = await ask([{ role: 'user', content: 'Hello!' }])
  expect(text).toContain('add one to your message')
  expect(reasons).toEqual(['stop'])
})

test('each choice says the same and is counted', async () => {
  const one = await ask([user(image('Hello'))])
  const three = await ask([user(image('Hello'))], { n: 3 })
  expect(three.texts).toEqual([one.text, one.text, one.text])
  expect(three.reasons).toEqual(['stop', 'stop', 'stop'])
  expect(three.usage!.outputTokens).toBe(3 * one.usage!.outputTokens)
})

test('the bound on tokens cuts between characters, and no further picture is read', async () => {
  const { text, reasons, usage } = await ask([user(image('😀'.repeat(50)), image('two'))], { maxTokens: 40 })
  expect(text).toMatch(/^Image 1:\nText in the image:\n(😀)+$/u)
  expect(reasons).toEqual(['length'])
  expect(usage!.outputTokens).toBeLessThanOrEqual(40)
  expect(usage!.inputTokens).toBe(40)
})

test('nothing is said from a stop on, also where it begins in one picture and ends in the next', async () => {
  const { text, reasons } = await ask([user(image('one'), image('two'))], { stop: ['one\n\nImage'] })
  expect({ text, reasons }).toEqual({ text: 'Image 1:\nText in the image:\n', reasons: ['stop'] })
  const unmet = await ask([user(image('one'))], { stop: ['one\n\nImage'] })
  expect(unmet.text).toBe('Text in the image:\none')
})

test.each(['https://example.com/a.png', 'data:image/png,plain', 'data:'])('%s is refused', async (url) => {
  const asked = ask([user({ type: 'image_url', image_url: { url } })])
  await expect(asked).rejects.toMatchObject({ reason: 'invalid-request' })
})
