import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { EXTRA_MODELS } from '@/app/api/v1/chat/completions/testing/extra-models'
import { findings, localSite, silence, TIDE_FACT } from '@/app/api/v1/chat/completions/testing/site'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { beginStream, delta, sayHello, stop } from '@/app/api/v1/chat/completions/testing/upstream'
import { usd } from '@/lib/contract/money'
import { balancesOf, settled } from '@/lib/services/ledger/ledger'

const site = await localSite()
const stage = await chatStage({
  settings: { SEARCH_PROVIDER: 'searxng', SEARCH_URL: site.origin, EGRESS_ALLOW_ORIGINS: site.origin },
  models: EXTRA_MODELS,
})
const { upstream, call, streamed, spent, linesOf } = stage

type Wire = { tools?: { function: { name: string } }[]; messages: unknown[]; max_tokens: number }
const offersSearch = (body: unknown) =>
  (body as Wire).tools?.some((tool) => tool.function.name === 'service_web_search') === true

const auto = (more: Record<string, unknown> = {}, parameters: Record<string, unknown> = {}) => ({
  model: 'surfer',
  messages: [{ role: 'user', content: 'When is high water at Saint Malo on Friday?' }],
  service_parameters: { enable_web_search: 'auto', ...parameters },
  ...more,
})
const callOf = (index: number, name: string, args: string) => ({
  choices: [
    {
      index: 0,
      delta: { tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: args } }] },
      finish_reason: null,
    },
  ],
})
const calls = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }
const counted = (prompt: number, completion: number) => ({
  choices: [],
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
})

/** A model that searches where it can, after these words, and answers with what comes back. Counts unless it is told not to. */
function searches({ words = '', isCounting = true } = {}) {
  return (body: unknown, response: ServerResponse) => {
    const write = beginStream(response)
    if (offersSearch(body)) {
      if (words !== '') write(delta(words))
      write(callOf(0, 'service_web_search', '{"query":"high water Saint Malo"}'))
      write(calls)
      if (isCounting) write(counted(150, 12))
    } else {
      write(delta('At 07:42.'))
      write(stop)
      if (isCounting) write(counted(900, 7))
    }
    response.end('data: [DONE]\n\n')
  }
}

test('a model that searches is charged for both of its passes and for one search', async () => {
  upstream.answer = searches()
  const body = await (await call(auto())).json()
  expect(body.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'At 07:42.' } })
  expect(JSON.stringify((upstream.seen[1] as Wire).messages)).toContain(TIDE_FACT)
  expect(body.usage).toMatchObject({ prompt_tokens: 1_050, completion_tokens: 19 })
  expect(await linesOf()).toEqual({
    'surfer-llm-input-mtoken': [1_050, 0.00105],
    'surfer-llm-output-mtoken': [19, 0.000057],
    'web-search': [1, 0.01],
  })
  expect(body.cost.usd).toBe(0.011107)
  expect(await spent()).toBe(0.011107)
})

test('the stream of the same hides the call, and costs the same', async () => {
  upstream.answer = searches()
  const { chunks, text } = await streamed(auto())
  expect(text).not.toContain('service_web_search')
  expect(chunks.at(-1)).toMatchObject({ usage: { prompt_tokens: 1_050 }, cost: { usd: 0.011107 } })
  expect(site.seen).toEqual(['/search'])
})

test('a model that does not search costs its one pass, with the tool that it was shown', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    write(delta('I know that.'))
    write(stop)
    write(counted(480, 4))
    response.end('data: [DONE]\n\n')
  }
  const body = await (await call(auto())).json()
  expect(body.usage).toMatchObject({ prompt_tokens: 480, completion_tokens: 4 })
  expect(body.service_parameters.web_search_citations).toEqual([])
  expect(site.seen).toEqual([])
  expect(await spent()).toBe(0.000492)
})

const statusOf = async (body: Record<string, unknown>) => {
  const whole = await call(body)
  const { chunks } = await streamed(body)
  return [whole.headers.get('x-service-web-search-status'), chunks.at(-1).service_parameters]
}

test.each([
  ['found', undefined, TIDE_FACT],
  ['nothing_found', findings([]), 'found nothing'],
  ['failed', (response: ServerResponse) => void response.writeHead(503).end(), 'could not be searched'],
])('a model that searches and its caller are told the outcome: %s', async (status, answer, words) => {
  if (answer) site.at['/search'] = answer
  upstream.answer = searches()
  expect(await statusOf(auto())).toEqual([status, { web_search_status: status }])
  expect(JSON.stringify((upstream.seen[1] as Wire).messages)).toContain(words)
})

test('a model that does not search found that it need not', async () => {
  expect(await statusOf(auto())).toEqual(['not_needed', { web_search_status: 'not_needed' }])
  expect(site.seen).toEqual([])
})

test('a search that finds nothing is not charged; both passes are', async () => {
  site.at['/search'] = findings([])
  upstream.answer = searches()
  const body = await (await call(auto())).json()
  expect(body.choices[0].message.content).toBe('At 07:42.')
  expect(body.cost.usd).toBe(0.001107)
})

test('an engine that does not count is charged for the prompt of both passes', async () => {
  upstream.answer = searches({ isCounting: false })
  const { usage } = await (await call(auto())).json()
  const sent = upstream.seen.map((body) => JSON.stringify((body as Wire).messages).length)
  // Our own estimate is on the high side, the JSON around it too.
  expect(usage.prompt_tokens).toBeGreaterThan((sent[0]! + sent[1]!) / 6)
  expect(usage.prompt_tokens).toBeLessThan((sent[0]! + sent[1]!) / 2)
})

test('both parts of the second pass fit the context of the model together', async () => {
  site.at['/search'] = findings(
    Array.from({ length: 8 }, (_, n) => ({
      title: `Tides ${n}`,
      url: `${site.origin}/${n}`,
      content: 'High water comes and goes, twice a day. '.repeat(40),
    })),
  )
  upstream.answer = searches()
  await call(auto({ model: 'narrow' }))
  const second = upstream.seen[1] as Wire
  expect(JSON.stringify(second.messages).length / 3.5).toBeLessThan(1_500)
  // What is left is for the server to say.
  expect(second).not.toHaveProperty('max_tokens')
})

test('words before the search stay, and so do calls of the caller’s own tools after it', async () => {
  upstream.answer = (body, response) => {
    if (offersSearch(body)) return searches({ words: 'Let me look.' })(body, response)
    const write = beginStream(response)
    write(callOf(0, 'note', '{"text":"07:42"}'))
    write(calls)
    write(counted(900, 7))
    response.end('data: [DONE]\n\n')
  }
  const tools = [{ type: 'function', function: { name: 'note', parameters: { type: 'object' } } }]
  const { message, finish_reason } = (await (await call(auto({ tools }))).json()).choices[0]
  expect([message.content, finish_reason]).toEqual(['Let me look.', 'tool_calls'])
  expect(message.tool_calls).toMatchObject([{ function: { name: 'note', arguments: '{"text":"07:42"}' } }])
  const { chunks } = await streamed(auto({ tools }))
  const made = chunks.flatMap(({ choices }) => choices).flatMap(({ delta }) => delta.tool_calls ?? [])
  expect(made.map((one) => [one.index, one.function.name])).toEqual([[0, 'note']])
})

test.each(['include_search_results_in_stream', 'return_search_results_as_documents'])(
  'what must come before the first word is not left to the model: %s',
  async (option) => {
    const asked = auto({ messages: [{ role: 'user', content: 'What is the news today?' }] }, { [option]: true })
    await streamed(asked)
    expect(site.seen).toEqual(['/search'])
    expect(upstream.seen).toHaveLength(1)
    expect(await spent()).toBe(0.010029)
  },
)

test('the model that searched is the one that answers, also when one before it in the list comes back', async () => {
  upstream.answer = (body, response) => {
    if (body.model === 'up-fickle' && offersSearch(body)) return void response.writeHead(500).end()
    return searches()(body, response)
  }
  const body = await (await call(auto({ model: 'fickle' }))).json()
  expect(body.model).toBe('surfer')
  expect(upstream.seen.slice(-2).map(({ model }) => model)).toEqual(['up-surfer', 'up-surfer'])
  expect(body.cost.usd).toBe(0.011107)
})

test('an engine that fails in the second pass costs nothing where nothing had gone out', async () => {
  upstream.answer = (body, response) =>
    offersSearch(body) ? searches()(body, response) : void response.writeHead(500).end()
  expect((await call(auto())).status).toBe(500)
  expect((await call(auto({ stream: true }))).status).toBe(500)
  expect(site.seen).toEqual(['/search', '/search'])
  expect(await spent()).toBe(0)
})

test('a client that leaves during the search of a model pays for the words that went out', async () => {
  upstream.answer = searches({ words: 'Let me look that up for you.' })
  site.at['/search'] = silence
  const reader = (await call(auto({ stream: true }))).body!.getReader()
  for (let i = 0; i < 2; i++) void reader.read()
  await expect.poll(() => site.seen.length).toBe(1)
  await reader.cancel()
  await expect.poll(() => site.left).toBe(1)
  const lines = await linesOf()
  expect(Object.keys(lines)).not.toContain('web-search')
  expect(await spent()).toBeLessThan(0.001)
})

test('a client that leaves during the second pass pays for both prompts so far, and for the search', async () => {
  upstream.answer = async (body, response) => {
    if (offersSearch(body)) return searches()(body, response)
    const write = beginStream(response)
    for (let i = 0; i < 50 && !response.destroyed; i++) {
      write(delta(' tide'))
      await sleep(10)
    }
    response.end()
  }
  const reader = (await call(auto({ stream: true }))).body!.getReader()
  for (let i = 0; i < 4; i++) await reader.read()
  await reader.cancel()
  await expect.poll(() => upstream.left).toBe(1)
  const lines = await linesOf()
  expect(lines['web-search']).toEqual([1, 0.01])
  const sent = upstream.seen.map((body) => JSON.stringify((body as Wire).messages).length)
  expect(lines['surfer-llm-input-mtoken']![0]).toBeGreaterThan((sent[0]! + sent[1]!) / 6)
})

test('credit that does not reach for the second pass ends the work before it, and never goes below what was held', async () => {
  site.at['/search'] = findings(
    Array.from({ length: 8 }, (_, n) => ({
      title: `Tides ${n}`,
      url: `${site.origin}/${n}`,
      content: 'High water comes and goes, twice a day. '.repeat(40),
    })),
  )
  upstream.answer = searches()
  // A thousand dollars a million: the first pass takes a quarter of a dollar, the second three.
  const poor = await stage.openAccount(usd('0.60'))
  const headers = { authorization: `Bearer ${poor.secret}` }
  const response = await call(auto({ model: 'yacht', max_tokens: 16 }), { headers })
  expect(response.status).toBe(402)
  expect(upstream.seen).toHaveLength(1)
  await settled()
  expect((await balancesOf(poor.accountId)).USD).toBe(usd('0.60'))
})

test('a caller’s own tool of the same name is not taken for the service’s', async () => {
  const tools = [{ type: 'function', function: { name: 'service_web_search', parameters: { type: 'object' } } }]
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    write(callOf(0, 'service_web_search', '{}'))
    write(calls)
    response.end('data: [DONE]\n\n')
  }
  const { choices } = await (await call(auto({ tools }))).json()
  expect(choices[0].message.tool_calls).toHaveLength(1)
  expect(site.seen).toEqual([])
})

test('several answers at once are not left to a tool', async () => {
  upstream.answer = sayHello
  await call(auto({ n: 2 }))
  expect(offersSearch(upstream.seen[0])).toBe(false)
  // The words say what they need: a classifier sees it, and searches once for all.
  expect(site.seen.length).toBeLessThanOrEqual(1)
})
