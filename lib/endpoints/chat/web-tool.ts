import { hex } from '@/lib/contract/ids'
import { cutAtWord, MAX_QUERY_CHARS, visibleLine } from '@/lib/endpoints/chat/web-query'
import type { ChatEvent, ChatMessage, ChatRequest, ChatTool, TokenUsage } from '@/lib/services/engines/engine'

type Request = Omit<ChatRequest, 'model'>
type CallDelta = Extract<ChatEvent, { type: 'tool-call-delta' }>

export const SEARCH_TOOL = 'service_web_search'
const TOOL: ChatTool = {
  type: 'function',
  function: {
    name: SEARCH_TOOL,
    description:
      'Searches the web. Use it for news, prices, weather, recent events and facts that you do not know for certain.',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What to search for, in a few words' } },
      required: ['query'],
    },
  },
}

const MAX_ARGUMENT_CHARS = 8_192

/**
 * Runs a model that may search the web once through a tool of our own. The call and its result stay hidden; everything
 * else streams. The usage of both passes is one event at the end.
 *
 * @param planned the query when the model's arguments cannot be read.
 * @param search returns the text for the model and the bound of its answer.
 */
export async function* answerWithSearchTool(
  ask: (request: Request) => AsyncIterable<ChatEvent[]>,
  request: Request,
  planned: string,
  search: (query: string) => Promise<{ prompt: string; bound?: Request['bound'] }>,
): AsyncGenerator<ChatEvent[]> {
  const offered = withSearchTool(request)
  if (!offered) {
    yield* ask(request)
    return
  }
  const watch = createWatch()
  for await (const events of ask(offered)) {
    const out = events.flatMap(watch.see)
    if (out.length > 0) yield out
  }
  const maxTokens = request.maxTokens - watch.outputTokens()
  if (!watch.isSearching()) {
    yield* counted(watch.usage)
  } else if (maxTokens < 1) {
    yield [{ type: 'choice-end', choice: 0, reason: 'length' }]
    yield* counted(watch.usage)
  } else {
    const query = queryIn(watch.call.arguments) ?? planned
    const found = await search(query)
    const messages = [...request.messages, ...exchange(watch, query, found.prompt)]
    yield* secondPass(ask({ ...request, messages, maxTokens, bound: found.bound }), watch)
  }
}

export function withSearchTool(request: Request): Request | undefined {
  const { tools = [], toolChoice = 'auto' } = request
  const isNameInUse = tools.some((tool) => tool.function.name === SEARCH_TOOL)
  if (isNameInUse || request.n !== 1 || (toolChoice !== 'auto' && toolChoice !== 'none')) return undefined
  // A caller who wants none of their tools called still lets the service search.
  return { ...request, tools: toolChoice === 'none' ? [TOOL] : [...tools, TOOL], toolChoice: 'auto' }
}

/**
 * Where one pass was not counted, neither count is used. A second call of the tool, no longer offered, ends the answer.
 */
async function* secondPass(batches: AsyncIterable<ChatEvent[]>, first: Watch): AsyncGenerator<ChatEvent[]> {
  const watch = createWatch()
  for await (const events of batches) {
    const isBeginning = watch.text === ''
    const out = events.flatMap(watch.see)
    // What was said before the search is a paragraph of its own.
    if (isBeginning && watch.text !== '' && first.text !== '')
      out.unshift({ type: 'text-delta', choice: 0, text: '\n\n' })
    if (out.length > 0) yield out
  }
  if (watch.isSearching()) yield [{ type: 'choice-end', choice: 0, reason: 'stop' }]
  if (first.usage && watch.usage) yield* counted(sum(first.usage, watch.usage))
}

function* counted(usage: TokenUsage | undefined): Generator<ChatEvent[]> {
  if (usage) yield [{ type: 'usage', ...usage }]
}

type Watch = ReturnType<typeof createWatch>

function createWatch() {
  const call = { id: '', arguments: '' }
  const indexes = new Map<number, number | 'search'>()
  let searchIndex: number | undefined
  let ownCalls = 0
  let deltas = 0

  function seeCall(event: CallDelta): ChatEvent[] {
    if (!indexes.has(event.index)) indexes.set(event.index, event.name === SEARCH_TOOL ? 'search' : ownCalls++)
    const index = indexes.get(event.index)!
    if (index !== 'search') return [{ ...event, index }]
    searchIndex ??= event.index
    if (event.index !== searchIndex) return []
    call.id ||= event.id ?? ''
    if (call.arguments.length < MAX_ARGUMENT_CHARS) call.arguments += event.arguments
    return []
  }

  const watch = {
    call,
    text: '',
    reasoning: '',
    details: [] as Record<string, unknown>[],
    usage: undefined as TokenUsage | undefined,
    outputTokens(): number {
      return watch.usage?.outputTokens ?? deltas
    },
    isSearching(): boolean {
      return searchIndex !== undefined && ownCalls === 0
    },
    see(event: ChatEvent): ChatEvent[] {
      if (event.type.endsWith('-delta')) deltas++
      if (event.type === 'tool-call-delta') return seeCall(event)
      if (event.type === 'choice-end') return watch.isSearching() ? [] : [event]
      // Says nothing to the caller, and a reply begins with what is let through: a search that fails may still be a status.
      if (event.type === 'route') return []
      if (event.type === 'usage') {
        watch.usage = usageOf(event)
        return []
      }
      if (event.type === 'text-delta') watch.text += event.text
      if (event.type === 'reasoning-delta') watch.reasoning += event.text
      if (event.type === 'reasoning-details') watch.details.push(...event.details)
      return [event]
    },
  }
  return watch
}

function queryIn(text: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    const query = typeof parsed === 'object' && parsed !== null && 'query' in parsed ? parsed.query : undefined
    return typeof query === 'string' ? cutAtWord(visibleLine(query), MAX_QUERY_CHARS) || undefined : undefined
  } catch {
    return undefined
  }
}

/** Arguments are printed anew: chat templates break on invalid JSON. */
function exchange(watch: Watch, query: string, result: string): ChatMessage[] {
  const id = watch.call.id || `call_${hex(12)}`
  return [
    {
      role: 'assistant',
      content: watch.text === '' ? null : watch.text,
      tool_calls: [{ id, type: 'function', function: { name: SEARCH_TOOL, arguments: JSON.stringify({ query }) } }],
      ...(watch.reasoning === '' ? {} : { reasoning_content: watch.reasoning }),
      ...(watch.details.length === 0 ? {} : { reasoning_details: watch.details }),
    },
    { role: 'tool', tool_call_id: id, name: SEARCH_TOOL, content: result },
  ]
}

function usageOf({ type: _, ...usage }: Extract<ChatEvent, { type: 'usage' }>): TokenUsage {
  return usage
}

function sum(left: TokenUsage, right: TokenUsage): TokenUsage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    cachedTokens: left.cachedTokens + right.cachedTokens,
    cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    reasoningTokens: left.reasoningTokens + right.reasoningTokens,
  }
}
