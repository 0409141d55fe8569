import type { Citation } from '@/lib/contract/chat.schema'
import { hex } from '@/lib/contract/ids'
import { createCitationFilter } from '@/lib/endpoints/chat/citation-filter'
import { createEchoFilter } from '@/lib/endpoints/chat/fence'
import { createJsonCheck } from '@/lib/endpoints/chat/json-answer'
import { promptText } from '@/lib/endpoints/chat/prompt'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import { createThinkSplitter, LEGACY_TAGS } from '@/lib/endpoints/chat/thinking'
import type { UsageCounter } from '@/lib/endpoints/chat/usage'
import type { ChatEvent } from '@/lib/services/engines/engine'
import type { Model } from '@/lib/services/models/model'

type Stage = (event: ChatEvent) => ChatEvent[]

/** What the stages look at while the answer passes by. */
export type StagedRun = {
  readonly model: Model
  readonly citations: readonly Citation[]
  readonly givesDocuments: boolean
  readonly counter: Pick<UsageCounter, 'countThoughts'>
}
type StagedWork = Pick<ChatWork, 'options' | 'request' | 'preparation'>

/**
 * What an engine's events go through on their way out, in order: thinking is split off, citations are checked against the
 * list, tool calls make room for the documents, echoes of our own marks are taken out, JSON is held to be JSON. Made when the first event is there: then it is known which model serves.
 */
export function createStages(run: StagedRun, work: StagedWork): (events: ChatEvent[]) => ChatEvent[] {
  const stages = [
    thinkingStage(run, work),
    // Also where no search was planned: a mark that the engine makes up would point at nothing.
    work.options.echo.enable_web_citations ? createCitationFilter(() => run.citations.length) : undefined,
    work.options.echo.return_search_results_as_documents ? makeRoom(run) : undefined,
    work.options.stripsThinking ? keepSaid : undefined,
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

/** The documents of a search are call 0; a search may come after the model has begun. */
function makeRoom(run: StagedRun): Stage {
  return (event) => (run.givesDocuments ? shiftToolCalls(event) : [event])
}

const keepSaid: Stage = (event) =>
  event.type === 'reasoning-delta' || event.type === 'reasoning-details' ? [] : [event]

/** What was found as a tool call of the service's own, the first of a choice. Contract, chat.md 5.2. */
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

/** The engine's own calls come after the documents. */
export function shiftToolCalls(event: ChatEvent): ChatEvent[] {
  return event.type === 'tool-call-delta' ? [{ ...event, index: event.index + 1 }] : [event]
}
