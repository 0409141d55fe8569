import { expect, test } from 'vitest'
import { EXTRA_MODELS } from '@/app/api/v1/chat/completions/testing/extra-models'
import { localSite, TIDE_FACT } from '@/app/api/v1/chat/completions/testing/site'
import { beginStream, delta, stop } from '@/app/api/v1/chat/completions/testing/upstream'
import { responsesStage } from '@/app/api/v1/responses/testing/stage'
import type { MessageItem, OutputItem } from '@/lib/endpoints/chat/responses/output'

const site = await localSite()
const { stage, events } = await responsesStage({
  settings: { SEARCH_PROVIDER: 'searxng', SEARCH_URL: site.origin, EGRESS_ALLOW_ORIGINS: site.origin },
  models: EXTRA_MODELS,
})
const { upstream, call, spent } = stage

/** What `sayHello` costs where cached tokens have no price of their own: 20 × 1.00 + 3 × 3.00 USD a million. */
const HELLO = 0.000029
const input = 'When is high water at Saint Malo on Friday?'
const asked = { model: 'surfer', input }

const typesOf = (output: OutputItem[]) => output.map(({ type }) => type)
const messageOf = (output: OutputItem[]) => output.find((item): item is MessageItem => item.type === 'message')!

test('a search is an item, is told first, and costs a cent', async () => {
  const whole = await (await call({ ...asked, web_search: true })).json()
  expect(typesOf(whole.output)).toEqual(['web_search_call', 'message'])
  expect(whole.output[0]).toEqual({
    type: 'web_search_call',
    id: expect.stringMatching(/^ws_[0-9a-f]{24}$/),
    status: 'completed',
    action: { type: 'search', query: input },
  })
  expect(whole.cost).toEqual({ usd: 0.01 + HELLO, diem: 0 })
  expect(whole.service_parameters).toMatchObject({
    enable_web_search: 'on',
    web_search_citations: [{ title: 'Tides' }, { title: 'Harbour' }],
  })
  expect(JSON.stringify(upstream.seen[0]?.messages)).toContain(TIDE_FACT)

  const { types, events: all, items } = await events({ ...asked, web_search: true })
  expect(types.slice(0, 8)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.web_search_call.in_progress',
    'response.web_search_call.searching',
    'response.web_search_call.completed',
    'response.output_item.done',
    'response.output_item.added',
  ])
  expect(all[5]).not.toHaveProperty('results')
  expect(whole.service_parameters.web_search_status).toBe('found')
  expect(items).toEqual(all.at(-1)!.response.output)
  expect(await spent()).toBe(2 * (0.01 + HELLO))
})

test('the results are in the event where they were asked for', async () => {
  const parameters = { service_parameters: { include_search_results_in_stream: true, enable_web_search: 'on' } }
  const { events: all } = await events({ ...asked, ...parameters })
  expect(all[5]).toMatchObject({
    type: 'response.web_search_call.completed',
    results: [{ title: 'Tides' }, { title: 'Harbour' }],
  })
})

test('citations are annotations with their source; made-up ones are taken out', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    for (const piece of ['At 07:42 [R', 'EF]0[/R', 'EF], says [REF]7[/REF] someone.']) write(delta(piece))
    write(stop)
    response.end('data: [DONE]\n\n')
  }
  const body = { ...asked, web_search: true, service_parameters: { enable_web_citations: true } }
  const whole = await (await call(body)).json()
  const part = messageOf(whole.output).content[0]!
  expect(part.text).toBe('At 07:42 [REF]0[/REF], says someone.')
  expect(part.annotations).toEqual([
    { type: 'url_citation', url: `${site.origin}/tides`, title: 'Tides', start_index: 9, end_index: 21 },
  ])
  const { events: all } = await events(body)
  expect(messageOf(all.at(-1)!.response.output).content).toEqual([part])
  const done = all.find(({ type }) => type === 'response.content_part.done')
  expect(done?.part).toEqual(part)
})

test('a search tool leaves it to the model, which searches by a call that nobody sees', async () => {
  upstream.answer = (body, response) => {
    const write = beginStream(response)
    const isSecond = (body.messages as { role: string }[]).some(({ role }) => role === 'tool')
    if (isSecond) {
      write(delta('At 07:42.'))
      write(stop)
    } else {
      const [tool] = body.tools as { function: { name: string } }[]
      const one = {
        index: 0,
        id: 'c',
        type: 'function',
        function: { name: tool!.function.name, arguments: '{"query":"tides"}' },
      }
      write({ choices: [{ index: 0, delta: { content: 'Let me look.' }, finish_reason: null }] })
      write({ choices: [{ index: 0, delta: { tool_calls: [one] }, finish_reason: 'tool_calls' }] })
    }
    response.end('data: [DONE]\n\n')
  }
  const body = { ...asked, tools: [{ type: 'web_search', search_context_size: 'low' }] }
  const whole = await (await call(body)).json()
  expect(typesOf(whole.output)).toEqual(['web_search_call', 'message'])
  expect(messageOf(whole.output).content[0]!.text).toBe('Let me look.\n\nAt 07:42.')
  const { events: all, items } = await events(body)
  expect(typesOf(items)).toEqual(['message', 'web_search_call'])
  expect(items).toEqual(all.at(-1)!.response.output)
})

test('a choice of none keeps the model from it', async () => {
  const whole = await (await call({ ...asked, tools: [{ type: 'web_search' }], tool_choice: 'none' })).json()
  expect(typesOf(whole.output)).toEqual(['message'])
  expect(upstream.seen).toHaveLength(1)
  expect(upstream.seen[0]).not.toHaveProperty('tools')
})

test('a page that the question names is read', async () => {
  const body = {
    model: 'surfer',
    input: `Read ${site.origin}/tides`,
    service_parameters: { enable_web_scraping: true },
  }
  const whole = await (await call(body)).json()
  expect(typesOf(whole.output)).toEqual(['web_search_call', 'message'])
  expect(whole.cost.usd).toBe(0.01 + HELLO)
})

test('a vendor’s own search is asked for by its tool, on models that have it', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    write({ type: 'response.output_text.delta', delta: 'Hello' })
    write({ type: 'response.completed', response: { citations: ['https://x.example/1'] } })
    response.end()
  }
  const tools = [{ type: 'x_search', allowed_x_handles: ['tide'], from_date: '2026-01-02' }]
  const whole = await (await call({ model: 'vendor', input, tools })).json()
  expect(upstream.seen[0]).toMatchObject({ tools: [{ type: 'web_search' }, { type: 'x_search' }] })
  expect(typesOf(whole.output)).toEqual(['web_search_call', 'message'])
  expect(whole.service_parameters.web_search_citations).toMatchObject([{ url: 'https://x.example/1' }])
  await call({ model: 'surfer', input, tools })
  expect(upstream.seen[1]).not.toHaveProperty('tools')
})
