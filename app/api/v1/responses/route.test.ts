import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CHAT, PRICE_OF_HELLO } from '@/app/api/v1/chat/completions/testing/stage'
import { beginStream, delta, sayHello, stop, USAGE } from '@/app/api/v1/chat/completions/testing/upstream'
import { responsesStage } from '@/app/api/v1/responses/testing/stage'
import { testWallet } from '@/lib/pipeline/testing'

const { stage, events } = await responsesStage()
const { upstream, call, spent } = stage

const add = { type: 'function', name: 'add', parameters: { type: 'object' } }

/** Two calls at once, their arguments in pieces. */
function callTools(_: unknown, response: Parameters<typeof sayHello>[1]): void {
  const write = beginStream(response)
  const calls = (...all: object[]) => ({ choices: [{ index: 0, delta: { tool_calls: all }, finish_reason: null }] })
  write(calls({ index: 0, id: 'call_1', type: 'function', function: { name: 'add', arguments: '' } }))
  write(calls({ index: 0, function: { arguments: '{"a"' } }))
  write(calls({ index: 1, id: 'call_2', type: 'function', function: { name: 'add', arguments: '{"b":2}' } }))
  write(calls({ index: 0, function: { arguments: ':1}' } }))
  write({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage: USAGE })
  response.end('data: [DONE]\n\n')
}

test('an answer that is sent whole has the body, the headers and the price of the contract', async () => {
  const response = await call()
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({
    id: expect.stringMatching(/^resp_[0-9a-f]{24}$/),
    object: 'response',
    created_at: expect.any(Number),
    model: 'atlas',
    status: 'completed',
    output: [
      {
        type: 'message',
        id: expect.stringMatching(/^msg_/),
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hello there friend', annotations: [] }],
      },
    ],
    usage: {
      input_tokens: 20,
      output_tokens: 3,
      total_tokens: 23,
      input_tokens_details: { cached_tokens: 8 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
    cost: { usd: PRICE_OF_HELLO, diem: 0 },
    service_parameters: expect.objectContaining({ enable_web_search: 'off', web_search_citations: [] }),
  })
  expect(await spent()).toBe(PRICE_OF_HELLO)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/json',
    'cf-ray': expect.stringMatching(/^[0-9a-f]{16}-[A-Z]{3}$/),
    'x-service-model-id': 'atlas',
    'x-service-balance-usd': '5.000000',
    'x-ratelimit-limit-requests': '500',
    'x-ratelimit-limit-tokens': '1000000',
  })
})

test('a stream has its events in order, ends with the whole response, and costs the same', async () => {
  const { response, text, types, events: all, items } = await events()
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
  expect(types.map((type) => type.replace('response.', ''))).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.delta',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'completed',
  ])
  const last = all.at(-1)!.response
  expect(last).toMatchObject({ status: 'completed', usage: { total_tokens: 23 }, cost: { usd: PRICE_OF_HELLO } })
  expect(last.id).toBe(all[0]!.response.id)
  expect(items).toEqual(last.output)
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(await spent()).toBe(PRICE_OF_HELLO)
})

test('the same conversation reaches the model as from a chat, and costs the same', async () => {
  const tools = [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }]
  const calls = [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }]
  const settings = { temperature: 0.5, top_p: 0.9, prompt_cache_key: 'k', tool_choice: 'auto' }
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    write(delta('{"sum":4}'))
    write(stop)
    write({ choices: [], usage: USAGE })
    response.end('data: [DONE]\n\n')
  }
  const chat = await call(
    {
      ...settings,
      max_completion_tokens: 33,
      tools,
      response_format: { type: 'json_schema', json_schema: { name: 'sum', schema: { type: 'object' } } },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Add.' }] },
        { role: 'assistant', content: 'I add.', tool_calls: calls },
        { role: 'tool', tool_call_id: 'call_1', content: '3' },
      ],
    },
    { route: CHAT },
  )
  const answered = await call({
    ...settings,
    max_output_tokens: 33,
    tools: [add],
    text: { format: { type: 'json_schema', name: 'sum', schema: { type: 'object' } } },
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Add.' }] },
      { type: 'message', role: 'assistant', content: 'I add.' },
      { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'call_1', output: '3' },
    ],
  })
  expect([chat.status, answered.status]).toEqual([200, 200])
  expect(upstream.seen[1]).toEqual(upstream.seen[0])
  const cost = (await chat.json()).cost
  expect((await answered.json()).cost).toEqual(cost)
  expect(await spent()).toBe(2 * cost.usd)
})

test('one answer, whatever the caller asks', async () => {
  const body = await (await call({ n: 3 })).json()
  expect(body.output).toHaveLength(1)
  expect(upstream.seen[0]?.n ?? 1).toBe(1)
})

test('calls come as items of their own, whole and streamed, and go back with their results', async () => {
  upstream.answer = callTools
  const expected = [
    { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{"a":1}', status: 'completed' },
    { type: 'function_call', call_id: 'call_2', name: 'add', arguments: '{"b":2}', status: 'completed' },
  ]
  const whole = await (await call({ tools: [add] })).json()
  expect(whole.output).toMatchObject(expected)
  const { events: all, items } = await events({ tools: [add] })
  expect(all.at(-1)!.response.output).toMatchObject(expected)
  expect(items).toEqual(all.at(-1)!.response.output)

  upstream.answer = sayHello
  const results = ['3', '4'].map((output, at) => ({
    type: 'function_call_output',
    call_id: expected[at]!.call_id,
    output,
  }))
  await call({ tools: [add], input: [{ role: 'user', content: 'Add.' }, ...whole.output, ...results] })
  expect((upstream.seen.at(-1)!.messages as { role: string }[]).map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'tool',
  ])
})

test('thoughts are an item before the text, and counted', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    for (const piece of ['<thi', 'nk>hm', '</think>', '\n\nFour']) write(delta(piece))
    write(stop)
    write({ choices: [], usage: { ...USAGE, completion_tokens_details: { reasoning_tokens: 2 } } })
    response.end('data: [DONE]\n\n')
  }
  const expected = [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
    { type: 'message', content: [{ text: 'Four' }] },
  ]
  const whole = await (await call()).json()
  expect(whole.output).toMatchObject(expected)
  expect(whole.usage.output_tokens_details).toEqual({ reasoning_tokens: 2 })
  const { types, events: all } = await events()
  expect(all.at(-1)!.response.output).toMatchObject(expected)
  expect(types).toContain('response.reasoning_summary_text.delta')
  // What has thoughts among its items goes back as it came.
  expect((await call({ input: [...whole.output, { role: 'user', content: 'And?' }] })).status).toBe(200)
})

test('a text before a call stands after it in an answer that is sent whole', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    write(delta('I add.'))
    const one = { index: 0, id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } }
    write({ choices: [{ index: 0, delta: { tool_calls: [one] }, finish_reason: 'tool_calls' }], usage: USAGE })
    response.end('data: [DONE]\n\n')
  }
  const types = (output: { type: string }[]) => output.map(({ type }) => type)
  expect(types((await (await call({ tools: [add] })).json()).output)).toEqual(['function_call', 'message'])
  const { events: all } = await events({ tools: [add] })
  expect(types(all.at(-1)!.response.output)).toEqual(['message', 'function_call'])
})

test('an answer that its bound cuts is incomplete, whole and streamed', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    write(delta('Half'))
    write({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }], usage: USAGE })
    response.end('data: [DONE]\n\n')
  }
  const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
  expect(await (await call({ max_output_tokens: 3 })).json()).toMatchObject(cut)
  expect(upstream.seen[0]).toMatchObject({ max_tokens: 3 })
  const { events: all } = await events({ max_output_tokens: 3 })
  expect(all.at(-1)).toMatchObject({ type: 'response.incomplete', response: cut })
})

test('an upstream that breaks in mid-stream ends in a response that failed, and what went out is charged', async () => {
  upstream.answer = async (_, response) => {
    const write = beginStream(response)
    for (const word of ['one', ' two']) write(delta(word))
    await sleep(50)
    response.destroy()
  }
  const { response, text, events: all } = await events()
  expect(response.status).toBe(200)
  expect(all.at(-1)).toMatchObject({
    type: 'response.failed',
    response: {
      status: 'failed',
      error: { code: 'INFERENCE_FAILED', message: expect.any(String) },
      output: [{ type: 'message', status: 'incomplete', content: [{ text: 'one two' }] }],
    },
  })
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(await spent()).toBeGreaterThan(0)
})

test.each([false, true])('what fails before the first byte has its own status (stream: %s)', async (stream) => {
  upstream.answer = (_, response) => void response.writeHead(429, { 'retry-after': '7' }).end('{}')
  const response = await call({ stream })
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7'])
  expect(await response.json()).toMatchObject({ code: 'MODEL_OVERLOADED', error: expect.any(String) })
  expect(await spent()).toBe(0)
})

test('a reader that leaves ends the upstream and pays for what was made', async () => {
  upstream.answer = async (_, response) => {
    const write = beginStream(response)
    for (let i = 0; i < 60 && !response.destroyed; i++) {
      write(delta(' tide'))
      await sleep(10)
    }
    response.end()
  }
  const reader = (await call({ stream: true })).body!.getReader()
  await reader.read()
  await reader.read()
  await reader.cancel()
  await expect.poll(() => upstream.left).toBe(1)
  const cost = await spent()
  expect(cost).toBeGreaterThan(0)
  expect(cost).toBeLessThan(PRICE_OF_HELLO * 5)
})

test('a client that leaves while its whole answer is made pays nothing', async () => {
  upstream.answer = (_, response) => void beginStream(response)(delta(' tide'))
  const controller = new AbortController()
  const reply = call({}, { signal: controller.signal })
  await sleep(80)
  controller.abort()
  expect((await reply).status).toBeGreaterThanOrEqual(400)
  await expect.poll(() => upstream.left).toBe(1)
  expect(await spent()).toBe(0)
})

test('a suffix has no effect, and the reply names the model', async () => {
  const body = await (await call({ model: 'gpt-4o:disable_thinking=true' })).json()
  expect(body).toMatchObject({ model: 'atlas', service_parameters: { disable_thinking: false } })
})

test('instructions come before the conversation, behind the service’s own words', async () => {
  await call({ instructions: 'Speak French.', service_parameters: { include_service_system_prompt: true } })
  await call({ instructions: 'Speak French.', service_parameters: { include_service_system_prompt: false } })
  const first = (index: number) => (upstream.seen[index]!.messages as { role: string; content: string }[])[0]!
  expect(first(0).content).toMatch(/helpful assistant[\s\S]+Speak French\.$/)
  expect(first(1)).toEqual({ role: 'system', content: 'Speak French.' })
})

test('a wallet pays too, and is told what it has left', async () => {
  const wallet = testWallet()
  const response = await call({ model: 'free' }, { headers: { authorization: undefined, ...(await wallet.signIn()) } })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-balance-remaining')).toMatch(/^\d+\.\d{6}$/)
})
