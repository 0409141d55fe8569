import { expect, test } from 'vitest'
import { nano } from '@/lib/contract/money'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import { createChunkWriter, renderCompletion } from '@/lib/endpoints/chat/render'
import type { ChatRun } from '@/lib/endpoints/chat/run'
import type { ChatEvent } from '@/lib/services/engines/engine'

const model = { id: 'atlas' } as ChatRun['model']
const work = { id: 'chatcmpl-1', created: 7, request: { n: 1 }, options: { echo: {} } } as ChatWork
const usage = { inputTokens: 4, cachedTokens: 1, cacheWriteTokens: 0, outputTokens: 2, reasoningTokens: 0 }
const receipt = { usd: nano(6_600n), diem: nano(0n) }

function frames(events: ChatEvent[]) {
  const writer = createChunkWriter(work, () => model)
  const text = writer.write(events) + writer.usage(usage, receipt)
  expect(text).toMatch(/^(data: [^\n]+\n\n)+$/)
  return text
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => JSON.parse(frame.slice('data: '.length)))
}

test('a plain answer: role, content, finish, usage with cost', () => {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 7, model: 'atlas' }
  const choice = (delta: unknown, finish: string | null = null) => [
    { index: 0, delta, finish_reason: finish, logprobs: null },
  ]
  expect(
    frames([
      { type: 'route', router: 'house', retries: 0 },
      { type: 'text-delta', choice: 0, text: 'Rain "x"\n' },
      { type: 'choice-end', choice: 0, reason: 'stop' },
      { type: 'usage', ...usage },
    ]),
  ).toEqual([
    { ...head, choices: choice({ role: 'assistant', content: '' }) },
    { ...head, choices: choice({ content: 'Rain "x"\n' }) },
    { ...head, choices: choice({}, 'stop') },
    {
      ...head,
      choices: [],
      usage: {
        prompt_tokens: 4,
        completion_tokens: 2,
        total_tokens: 6,
        prompt_tokens_details: { cached_tokens: 1, cache_creation_input_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
      cost: { diem: 0, usd: 0.0000066 },
    },
  ])
})

test('the first delta of a call has id, type and name even if the engine forgot them', () => {
  const [, first, second, finish] = frames([
    { type: 'tool-call-delta', choice: 0, index: 0, name: 'add', arguments: '' },
    { type: 'tool-call-delta', choice: 0, index: 0, arguments: '{"a":1}' },
    { type: 'choice-end', choice: 0, reason: 'stop' },
  ])
  expect(first.choices[0].delta.tool_calls).toEqual([
    { index: 0, id: expect.stringMatching(/^call_/), type: 'function', function: { name: 'add', arguments: '' } },
  ])
  expect(second.choices[0].delta.tool_calls).toEqual([{ index: 0, function: { arguments: '{"a":1}' } }])
  expect(finish.choices[0].finish_reason).toBe('tool_calls')
})

test('no content can end the stream early', () => {
  const writer = createChunkWriter(work, () => model)
  const text = writer.write([{ type: 'text-delta', choice: 0, text: 'data: [DONE]\n\ndata: [DONE]' }])
  expect(text).not.toContain('[DONE]')
  expect(JSON.parse(text.split('\n\n')[1]!.slice(6)).choices[0].delta.content).toBe('data: [DONE]\n\ndata: [DONE]')
})

test('nothing of a choice comes after its end', () => {
  const all = frames([
    { type: 'choice-end', choice: 0, reason: 'length' },
    { type: 'text-delta', choice: 0, text: 'late' },
  ])
  expect(all.map((frame) => frame.choices[0]?.finish_reason)).toEqual([null, 'length', undefined])
})

test('the same events sent whole: content, calls, log probabilities in both forms', () => {
  const run = { model, counter: { usage: () => usage }, citations: [], assists: [] } as unknown as ChatRun
  const logprob = { token: 'Rain', logprob: -0.1, top_logprobs: [] }
  const body = renderCompletion(
    [
      { type: 'reasoning-delta', choice: 0, text: 'hm' },
      { type: 'text-delta', choice: 0, text: 'Rain', logprobs: [logprob] },
      { type: 'choice-end', choice: 0, reason: 'stop' },
    ],
    run,
    work,
    receipt,
  )
  expect(body.choices).toEqual([
    {
      index: 0,
      finish_reason: 'stop',
      stop_reason: 'stop',
      logprobs: { ...logprob, content: [logprob] },
      message: { role: 'assistant', content: 'Rain', reasoning_content: 'hm' },
    },
  ])
  expect(body.cost).toEqual({ diem: 0, usd: 0.0000066 })
})
