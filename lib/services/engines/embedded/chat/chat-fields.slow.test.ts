import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ManagedChatModel } from '@/lib/services/engines/embedded/chat/process'
import { chatRequest, collect, randomChatModel } from '@/lib/services/engines/embedded/testing/random-chat-model'
import type { ChatRequest, TokenLogprob } from '@/lib/services/engines/engine'

const open = new AbortController().signal
let room: ManagedChatModel
let close: () => Promise<void>

beforeAll(async () => {
  ;({ room, close } = await randomChatModel())
})
afterAll(() => close())

const answer = (more: Partial<ChatRequest> = {}) => collect(room.stream(chatRequest(more), open))

const LONG = 'x'.repeat(200)

describe('a prompt that was read before', () => {
  const conversation = (cacheKey?: string) => ({
    maxTokens: 4,
    messages: [{ role: 'user' as const, content: LONG }],
    ...(cacheKey !== undefined && { cacheKey }),
  })

  test('is found again under the same key, and never under another or none', async () => {
    expect((await answer(conversation('account-a'))).usage).toMatchObject({ cachedTokens: 0 })
    const retry = await answer(conversation('account-a'))
    expect(retry.usage!.cachedTokens).toBe(retry.usage!.inputTokens - 1)
    expect((await answer(conversation('account-b'))).usage).toMatchObject({ cachedTokens: 0 })
    expect((await answer(conversation())).usage).toMatchObject({ cachedTokens: 0 })
    expect((await answer(conversation())).usage).toMatchObject({ cachedTokens: 0 })
  })

  test('is found by the same account without a key, and never by another', async () => {
    const ask = async (cacheScope?: string, cacheKey?: string, content = LONG) => {
      const messages = [{ role: 'user' as const, content }]
      const { usage } = await answer({ maxTokens: 2, messages, cacheScope, cacheKey })
      return usage!.cachedTokens
    }
    expect(await ask('one')).toBe(0)
    expect(await ask('one')).toBeGreaterThan(200)
    expect(await ask('two')).toBe(0)
    expect(await ask()).toBe(0)
    expect(await ask('one', 'key')).toBe(0)
    expect(await ask('one', 'key')).toBeGreaterThan(200)
    expect(await ask('one', 'other key')).toBe(0)
    expect(await ask('two', 'key')).toBe(0)
  })

  test('is read on from where a longer conversation differs', async () => {
    const ask = async (content: string) => {
      const messages = [{ role: 'user' as const, content }]
      return (await answer({ maxTokens: 1, messages, cacheScope: 'three' })).usage!
    }
    await ask(LONG)
    const longer = await ask(`${LONG}y`)
    expect(longer.cachedTokens).toBeGreaterThanOrEqual(200)
    expect(longer.cachedTokens).toBeLessThan(longer.inputTokens - 5)
  })

  test('counts once for several choices', async () => {
    const { usage } = await answer({ ...conversation('account-n'), n: 3 })
    expect(usage).toMatchObject({ cachedTokens: 0, inputTokens: 219 })
    expect((await answer({ ...conversation('account-n'), n: 3 })).usage!.cachedTokens).toBe(218)
  })

  test('does not change the answer', async () => {
    const first = await answer({ ...conversation('account-c'), maxTokens: 40 })
    const retry = await answer({ ...conversation('account-c'), maxTokens: 40 })
    expect(retry.text).toBe(first.text)
  })
})

describe('logprobs', () => {
  test('come for each token, with the most probable ones, whatever the temperature', async () => {
    const ask = (temperature: number) =>
      answer({ maxTokens: 12, logprobs: { top: 3 }, sampling: { temperature, seed: 3 } })
    const { logprobs } = await ask(0)
    expect(logprobs).toHaveLength(12)
    for (const { logprob, top_logprobs: top = [] } of logprobs) {
      expect(top).toHaveLength(3)
      expect(logprob).toBeLessThanOrEqual(0)
      expect(logprob).toBe(top[0]!.logprob)
      expect(top.reduce((sum, one) => sum + Math.exp(one.logprob), 0)).toBeLessThanOrEqual(1.0001)
    }
    expect((await ask(1.5)).logprobs[0]!.top_logprobs).toEqual(logprobs[0]!.top_logprobs)
  })

  test('are those of the tokens of the answer: put together they are its text', async () => {
    const ask = (more: Partial<ChatRequest>) => answer({ maxTokens: 40, logprobs: { top: 0 }, ...more })
    const { text: whole, logprobs } = await ask({})
    const bytes = (tokens: TokenLogprob[]) => tokens.map(({ token }) => token).join('')
    // Halves of characters have no text of their own in this vocabulary of bytes.
    expect(bytes(logprobs).replaceAll('\uFFFD', '')).toBe(whole.replaceAll(/[^\0-\x7F]/g, ''))
    const stop = /[ -~]{2}/.exec(whole)![0]
    const cut = await ask({ stop: [stop] })
    expect(bytes(cut.logprobs).replaceAll('\uFFFD', '')).toBe(cut.text.replaceAll(/[^\0-\x7F]/g, ''))
  })

  test('are the model’s own, also for a token that top-k leaves out or a penalty moves', async () => {
    const ask = (sampling: ChatRequest['sampling']) =>
      // Its first token may be half of a character, which is left out where nothing follows.
      answer({ maxTokens: 8, logprobs: { top: 20 }, sampling: { temperature: 1, seed: 5, ...sampling } })
    const [plain, filtered, all] = [
      await ask({}),
      await ask({ topK: 1, repetitionPenalty: 2 }),
      await ask({ topK: 50 }),
    ]
    expect(filtered.logprobs[0]!.top_logprobs).toEqual(plain.logprobs[0]!.top_logprobs)
    expect(all.logprobs[0]!.top_logprobs).toEqual(plain.logprobs[0]!.top_logprobs)
    expect(filtered.logprobs[0]!.logprob).toBe(plain.logprobs[0]!.top_logprobs![0]!.logprob)
  })

  test('come together with a grammar, of what it forced, too', async () => {
    const ask = () =>
      answer({
        logprobs: { top: 2 },
        sampling: { temperature: 1, seed: 2 },
        responseFormat: {
          type: 'json_schema',
          json_schema: { name: 'x', schema: { type: 'object', properties: { sure: { type: 'boolean' } } } },
        },
      })
    const { text, logprobs } = await ask()
    expect(JSON.parse(text)).toEqual({ sure: expect.any(Boolean) })
    expect(logprobs.map(({ token }) => token).join('')).toBe(text)
    for (const { logprob, top_logprobs: top = [] } of logprobs) {
      expect(top).toHaveLength(2)
      expect(logprob).toBeLessThanOrEqual(top[0]!.logprob)
    }
    expect((await ask()).text).toBe(text)
  })
})

describe('a temperature that moves', () => {
  const ask = (sampling: ChatRequest['sampling'], more: Partial<ChatRequest> = {}) =>
    answer({ maxTokens: 30, sampling: { seed: 4, ...sampling }, ...more })

  test('is between its floor and its ceiling: at zero it draws the best, above it others', async () => {
    const greedy = await ask({ temperature: 0 })
    const still = await ask({ minTemperature: 0, maxTemperature: 0 })
    const tiny = await ask({ minTemperature: 0, maxTemperature: 1e-6 })
    const moved = await ask({ minTemperature: 0.5, maxTemperature: 2 })
    expect([still.text, tiny.text]).toEqual([greedy.text, greedy.text])
    expect(moved.text).not.toBe(greedy.text)
    expect((await ask({ minTemperature: 0.5, maxTemperature: 2 })).text).toBe(moved.text)
  })

  test('goes with a grammar', async () => {
    const { text } = await ask(
      { minTemperature: 0.5, maxTemperature: 2 },
      {
        maxTokens: 100,
        responseFormat: { type: 'json_schema', json_schema: { name: 'x', schema: { enum: ['a', 'b'] } } },
      },
    )
    expect(['a', 'b']).toContain(JSON.parse(text))
  })
})

describe('a forced form', () => {
  const schema = { type: 'object', properties: { answer: { enum: ['yes', 'no'] }, sure: { type: 'boolean' } } }

  test('holds even for a model that writes noise', async () => {
    const { text, reasons } = await answer({
      responseFormat: { type: 'json_schema', json_schema: { name: 'answer', schema } },
      sampling: { temperature: 1, seed: 1 },
    })
    expect(JSON.parse(text)).toEqual({ answer: expect.stringMatching(/^(yes|no)$/), sure: expect.any(Boolean) })
    expect(reasons).toEqual(['stop'])
  })

  test('of a tool call names the tool once and gives arguments of its schema', async () => {
    const tools = ['agree', 'refuse'].map((name) => ({
      type: 'function' as const,
      function: { name, parameters: schema },
    }))
    const { calls, text, reasons } = await answer({
      tools,
      toolChoice: { type: 'function', function: { name: 'refuse' } },
    })
    expect(calls).toEqual([{ id: expect.stringMatching(/^call_/), name: 'refuse', arguments: expect.any(String) }])
    expect(JSON.parse(calls[0]!.arguments)).toMatchObject({ sure: expect.any(Boolean) })
    expect({ text, reasons }).toEqual({ text: '', reasons: ['tool_calls'] })
  })

  test('of any tool is a call of one of them, and none without tools that must be called', async () => {
    const tools = ['agree', 'refuse'].map((name) => ({ type: 'function' as const, function: { name } }))
    const { calls } = await answer({ tools, toolChoice: 'required', sampling: { temperature: 1, seed: 1 } })
    expect(calls).toEqual([expect.objectContaining({ name: expect.stringMatching(/^(agree|refuse)$/) })])
    for (const toolChoice of ['none', 'auto'] as const) {
      expect(await answer({ tools, toolChoice, maxTokens: 5 })).toMatchObject({ calls: [], reasons: ['length'] })
    }
    const unknown = answer({ tools, toolChoice: { type: 'function', function: { name: 'other' } } })
    await expect(unknown).rejects.toMatchObject({ reason: 'invalid-request' })
  })

  test('is not cut in two by a stop', async () => {
    const cut = await answer({
      stop: ['{', '"', 's'],
      stopTokenIds: Array.from({ length: 259 }, (_, id) => id),
      responseFormat: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    })
    expect(JSON.parse(cut.text)).toHaveProperty('sure')
  })

  test('that the bound on tokens cuts ends with `length`', async () => {
    const cut = await answer({ maxTokens: 3, responseFormat: { type: 'json_object' } })
    expect(cut).toMatchObject({ reasons: ['length'], usage: { outputTokens: 3 } })
  })

  test('is refused when the schema is none', async () => {
    const json_schema = { name: 'x', schema: { $ref: 'https://schemas.example/x' } }
    await expect(answer({ responseFormat: { type: 'json_schema', json_schema } })).rejects.toMatchObject({
      reason: 'invalid-request',
      message: expect.stringContaining('#/$ref'),
    })
    const endless = { name: 'x', schema: { anyOf: [{ $ref: '#' }] } }
    await expect(answer({ responseFormat: { type: 'json_schema', json_schema: endless } })).rejects.toMatchObject({
      reason: 'invalid-request',
    })
  })
})
