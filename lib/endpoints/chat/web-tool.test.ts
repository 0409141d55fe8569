import { expect, test } from 'vitest'
import { answerWithSearchTool, SEARCH_TOOL } from '@/lib/endpoints/chat/web-tool'
import type { ChatEvent, ChatRequest, TokenUsage } from '@/lib/services/engines/engine'

type Request = Omit<ChatRequest, 'model'>

const base: Request = {
  messages: [{ role: 'user', content: 'Does it rain in Oslo?' }],
  sampling: {},
  n: 1,
  maxTokens: 100,
  stop: [],
  extra: {},
}
const own = { type: 'function' as const, function: { name: 'get_time' } }

const text = (said: string): ChatEvent => ({ type: 'text-delta', choice: 0, text: said })
const thought = (said: string): ChatEvent => ({ type: 'reasoning-delta', choice: 0, text: said })
const call = (index: number, args: string, name?: string): ChatEvent => ({
  type: 'tool-call-delta',
  choice: 0,
  index,
  ...(name ? { id: `call_${index}`, name } : {}),
  arguments: args,
})
const end = (reason: 'stop' | 'length' | 'tool_calls' = 'stop'): ChatEvent => ({
  type: 'choice-end',
  choice: 0,
  reason,
})
const usage = (inputTokens: number, outputTokens: number): ChatEvent => ({
  type: 'usage',
  ...tokens(inputTokens, outputTokens),
})
const tokens = (inputTokens: number, outputTokens: number): TokenUsage => ({
  inputTokens,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens,
  reasoningTokens: 0,
})
const searching = [call(0, '{"que', SEARCH_TOOL), call(0, 'ry":"rain Oslo"}'), end('tool_calls'), usage(10, 5)]

async function play(passes: ChatEvent[][], request: Request = base, found = 'FOUND') {
  const asked: Request[] = []
  const searched: string[] = []
  async function* ask(one: Request): AsyncGenerator<ChatEvent[]> {
    const pass = passes[asked.push(one) - 1] ?? []
    for (const event of pass) yield [event]
  }
  const search = async (query: string) => {
    searched.push(query)
    return { prompt: found }
  }
  const said: ChatEvent[] = []
  for await (const events of answerWithSearchTool(ask, request, 'planned query', search)) {
    expect(events.length).toBeGreaterThan(0)
    said.push(...events)
  }
  return { asked, searched, said }
}

test('a model that answers in words is passed on, and nothing is searched', async () => {
  const pass = [thought('Hm.'), text('Yes'), text(', it does.'), end(), usage(10, 5)]
  const { asked, searched, said } = await play([pass])
  expect(said).toEqual(pass)
  expect(searched).toEqual([])
  expect(asked[0]!.tools?.map((tool) => tool.function.name)).toEqual([SEARCH_TOOL])
  expect(asked[0]!.toolChoice).toBe('auto')
})

test('its call is taken out, searched for, and the model asked again without the tool', async () => {
  const { asked, searched, said } = await play([searching, [text('It rains.'), end(), usage(50, 7)]], {
    ...base,
    tools: [own],
  })
  expect(searched).toEqual(['rain Oslo'])
  expect(said).toEqual([text('It rains.'), end(), { type: 'usage', ...tokens(60, 12) }])
  expect(asked[1]!.tools).toEqual([own])
  expect(asked[1]!.maxTokens).toBe(95)
  expect(asked[1]!.messages).toEqual([
    ...base.messages,
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_0', type: 'function', function: { name: SEARCH_TOOL, arguments: '{"query":"rain Oslo"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_0', name: SEARCH_TOOL, content: 'FOUND' },
  ])
})

test('thoughts go on as they stream and are remembered', async () => {
  const { asked, said } = await play([
    [thought('I must look.'), ...searching],
    [text('It rains.'), end()],
  ])
  expect(said.slice(0, 2)).toEqual([thought('I must look.'), text('It rains.')])
  expect(asked[1]!.messages[1]).toMatchObject({ reasoning_content: 'I must look.' })
})

test('a model that says something before it calls keeps its words, and the answer follows', async () => {
  const { asked, said } = await play([
    [text('Let me look.'), ...searching],
    [text('It rains.'), end(), usage(50, 7)],
  ])
  expect(said).toEqual([
    text('Let me look.'),
    text('\n\n'),
    text('It rains.'),
    end(),
    { type: 'usage', ...tokens(60, 12) },
  ])
  expect(asked[1]!.messages[1]).toMatchObject({ content: 'Let me look.' })
})

test.each(['{"query":', 'rain', '{"query":7}', '{"query":"  "}', '[]', 'null', ''])(
  'arguments that cannot be read mean the planned query: %s',
  async (args) => {
    const { asked, searched } = await play([
      [call(0, args, SEARCH_TOOL), end('tool_calls')],
      [text('Yes.'), end()],
    ])
    expect(searched).toEqual(['planned query'])
    expect(asked[1]!.messages[1]).toMatchObject({
      tool_calls: [{ function: { arguments: '{"query":"planned query"}' } }],
    })
  },
)

test('a query is bounded and has nothing unseen in it', async () => {
  const query = `rain\u200b\u0000 ${'word '.repeat(1_000)}`
  const { searched } = await play([[call(0, JSON.stringify({ query }), SEARCH_TOOL), end('tool_calls')], [end()]])
  expect(searched[0]!.length).toBeLessThanOrEqual(400)
  expect(searched[0]).toMatch(/^rain word /)
})

test('arguments without end are not kept', async () => {
  const endless = Array.from({ length: 1_000 }, () => call(0, 'x'.repeat(1_000)))
  const { searched } = await play([[call(0, '{"query":"', SEARCH_TOOL), ...endless, end('tool_calls')], [end()]], {
    ...base,
    maxTokens: 10_000,
  })
  expect(searched).toEqual(['planned query'])
})

test('calls of the caller’s own tools pass through as they stream', async () => {
  const pass = [call(0, '{', 'get_time'), call(0, '}'), end('tool_calls'), usage(10, 5)]
  const { said, searched } = await play([pass], { ...base, tools: [own] })
  expect(said).toEqual(pass)
  expect(searched).toEqual([])
})

test('beside calls of the caller’s own tools a search waits: theirs are numbered as if it were not there', async () => {
  const pass = [call(0, '{"query":"rain"}', SEARCH_TOOL), call(1, '{', 'get_time'), call(1, '}'), end('tool_calls')]
  const { asked, searched, said } = await play([pass], { ...base, tools: [own] })
  expect(searched).toEqual([])
  expect(asked).toHaveLength(1)
  expect(said).toEqual([{ ...call(1, '{', 'get_time'), index: 0 }, { ...call(1, '}'), index: 0 }, end('tool_calls')])
})

test('of several searches in one breath the first is done, and after it the model has to answer', async () => {
  const pass = [call(0, '{"query":"one"}', SEARCH_TOOL), call(1, '{"query":"two"}', SEARCH_TOOL), end('tool_calls')]
  const { asked, searched, said } = await play([pass, [call(0, '{}', SEARCH_TOOL), end('tool_calls')]])
  expect(searched).toEqual(['one'])
  expect(asked).toHaveLength(2)
  expect(said).toEqual([end('stop')])
})

test('use that one pass did not count is not counted by halves', async () => {
  const { said } = await play([searching.slice(0, 3), [text('It rains.'), end(), usage(50, 7)]])
  expect(said.some(({ type }) => type === 'usage')).toBe(false)
})

test('where the call took all tokens the answer ends with the length', async () => {
  const { asked, said } = await play([[...searching.slice(0, 2), end('length'), usage(10, 100)]])
  expect(asked).toHaveLength(1)
  expect(said).toEqual([end('length'), { type: 'usage', ...tokens(10, 100) }])
})

test.each([
  ['a call is forced', { tools: [own], toolChoice: 'required' as const }],
  ['a tool is named', { tools: [own], toolChoice: { type: 'function' as const, function: { name: 'get_time' } } }],
  ['the caller has a tool of that name', { tools: [{ ...own, function: { name: SEARCH_TOOL } }] }],
  ['there are several choices', { n: 2 }],
])('the tool is not offered where %s', async (_, changes) => {
  const request = { ...base, ...changes }
  const { asked, said, searched } = await play([searching], request)
  expect(asked).toEqual([request])
  expect(said).toEqual(searching)
  expect(searched).toEqual([])
})

test('a caller who wants no tool called has none offered but ours', async () => {
  const { asked } = await play([searching, [end()]], { ...base, tools: [own], toolChoice: 'none' })
  expect(asked[0]!.tools?.map((tool) => tool.function.name)).toEqual([SEARCH_TOOL])
  expect(asked[1]).toMatchObject({ tools: [own], toolChoice: 'none' })
})

test('who leaves in mid-stream ends the engine’s work', async () => {
  let isClosed = false
  async function* ask(): AsyncGenerator<ChatEvent[]> {
    try {
      while (true) yield [text('on and on')]
    } finally {
      isClosed = true
    }
  }
  const batches = answerWithSearchTool(ask, base, 'planned', async () => ({ prompt: '' }))
  await batches.next()
  await batches.return(undefined)
  expect(isClosed).toBe(true)
})
