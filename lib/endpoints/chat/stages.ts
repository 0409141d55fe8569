import type { Citation } from '@/lib/contract/chat.schema'
import { hex } from '@/lib/contract/ids'
import { createCitationFilter } from '@/lib/endpoints/chat/citations'
import { promptText } from '@/lib/endpoints/chat/engine-request'
import { createEchoFilter } from '@/lib/endpoints/chat/fence'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import { createThinkSplitter, LEGACY_TAGS } from '@/lib/endpoints/chat/think-tags'
import type { UsageCounter } from '@/lib/endpoints/chat/usage'
import { type ChatEvent, EngineError } from '@/lib/services/engines/engine'
import type { Model } from '@/lib/services/models/model'

type Stage = (event: ChatEvent) => ChatEvent[]

export type StagedRun = {
  readonly model: Model
  readonly citations: readonly Citation[]
  readonly givesDocuments: boolean
  readonly counter: Pick<UsageCounter, 'countThoughts'>
}
type StagedWork = Pick<ChatWork, 'options' | 'request' | 'preparation'>

/**
 * Composes the transformations of an engine's events, in order: thinking is split off, citations checked, tool call
 * indexes shifted for the documents, repeated prompt marks removed, JSON validated. Created at the first event, when
 * the serving model is known.
 */
export function createStages(run: StagedRun, work: StagedWork): (events: ChatEvent[]) => ChatEvent[] {
  const stages = [
    thinkingStage(run, work),
    // Also where no search was planned: a mark that the engine makes up would point at nothing.
    work.options.echo.enable_web_citations ? createCitationFilter(() => run.citations.length) : undefined,
    work.options.echo.return_search_results_as_documents ? fitContext(run) : undefined,
    work.options.stripsThinking ? recordText : undefined,
    work.preparation ? createEchoFilter(promptText(work.request.messages)) : undefined,
    wantsJson(work) ? createJsonCheck() : undefined,
  ].filter((stage) => stage !== undefined)
  return (events) => stages.reduce((out, stage) => out.flatMap(stage), events)
}

function thinkingStage(run: StagedRun, work: StagedWork): Stage | undefined {
  const mayThink = work.options.stripsThinking || run.model.capabilities.supportsReasoning
  const tags = run.model.thinkTags ?? (mayThink ? LEGACY_TAGS : undefined)
  if (!tags) return undefined
  const split = createThinkSplitter(tags)
  return (event) => {
    const events = split(event)
    if (event.type === 'text-delta' || event.type === 'choice-end') run.counter.countThoughts(events)
    return events
  }
}

const wantsJson = ({ request: { responseFormat } }: StagedWork): boolean =>
  responseFormat !== undefined && responseFormat.type !== 'text'

function fitContext(run: StagedRun): Stage {
  return (event) => (run.givesDocuments ? shiftToolCalls(event) : [event])
}

const recordText: Stage = (event) =>
  event.type === 'reasoning-delta' || event.type === 'reasoning-details' ? [] : [event]

/** Emits the found documents as the first tool call of a choice. Source: API contract, chat.md 5.2. */
export function documentEvents(citations: Citation[], choice: number): ChatEvent {
  const documents = citations.map(({ title, url, content, date }, index) => ({
    id: String(index),
    title,
    url,
    snippet: content ?? '',
    published_at: date ?? null,
  }))
  return {
    type: 'tool-call-delta',
    choice,
    index: 0,
    id: `call_${hex(12)}`,
    name: 'service_web_search_documents',
    arguments: JSON.stringify({ documents }),
  }
}

export function shiftToolCalls(event: ChatEvent): ChatEvent[] {
  return event.type === 'tool-call-delta' ? [{ ...event, index: event.index + 1 }] : [event]
}

const FENCE = '```'
const CLOSING = /\s*`{0,3}\s*$/

type JsonState = {
  phase: 'start' | 'fenced' | 'plain'
  held: string
  text: string
  hasCalls: boolean
  isRefusal: boolean
}

/**
 * Holds an answer to JSON: removes a Markdown fence, and fails an answer that ends by itself and does not parse.
 * Source: API contract, chat.md 6.
 *
 * @throws EngineError `failed` at the end of such an answer.
 */
export function createJsonCheck(): (event: ChatEvent) => ChatEvent[] {
  const states = new Map<number, JsonState>()

  function stateOf(choice: number): JsonState {
    const state = states.get(choice) ?? { phase: 'start', held: '', text: '', hasCalls: false, isRefusal: false }
    states.set(choice, state)
    return state
  }

  function feed(state: JsonState, text: string): string {
    let rest = state.held + text
    state.held = ''
    if (state.phase === 'start') {
      const begin = rest.trimStart()
      const lineEnd = begin.indexOf('\n')
      if (begin.length < FENCE.length ? FENCE.startsWith(begin) : begin.startsWith(FENCE) && lineEnd < 0) {
        state.held = rest
        return ''
      }
      state.phase = begin.startsWith(FENCE) ? 'fenced' : 'plain'
      if (state.phase === 'fenced') rest = begin.slice(lineEnd + 1)
    }
    if (state.phase === 'plain') return rest
    const end = rest.search(CLOSING)
    state.held = rest.slice(end)
    return rest.slice(0, end)
  }

  return (event) => {
    if (event.type === 'tool-call-delta') stateOf(event.choice).hasCalls = true
    if (event.type === 'text-delta') {
      const state = stateOf(event.choice)
      state.isRefusal ||= event.isRefusal === true
      const text = feed(state, event.text)
      state.text += text
      if (text === event.text) return [event]
      return text === '' ? [] : [{ type: 'text-delta', choice: event.choice, text }]
    }
    if (event.type !== 'choice-end') return [event]
    const state = stateOf(event.choice)
    const rest = state.phase === 'fenced' ? '' : state.held
    if (event.reason === 'stop' && !state.hasCalls && !state.isRefusal) assertJson(state.text + rest)
    return rest === '' ? [event] : [{ type: 'text-delta', choice: event.choice, text: rest }, event]
  }
}

function assertJson(text: string): void {
  try {
    JSON.parse(text)
  } catch {
    // The parser's own words quote the answer, which no log may hold.
    throw new EngineError('failed', 'The model did not answer with valid JSON. Try again, or choose another model.')
  }
}
