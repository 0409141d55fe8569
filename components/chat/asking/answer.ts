import type { AnswerEvent } from '@/components/chat/stream'
import type { Failure } from '@/lib/browser/failure'
import type { MessageStatus, SearchOutcome, Step, TokenCount } from '@/lib/browser/storage/records'
import type { Citation } from '@/lib/contract/chat.schema'

/** An answer while it arrives. Times are Unix milliseconds. */
export type Answer = {
  status: MessageStatus
  phase: 'waiting' | 'thinking' | 'writing'
  text: string
  reasoning: string
  startedAt: number
  thinkingSince?: number
  thinkingMs: number
  endedAt?: number
  requestId?: string
  notice?: string
  finishReason?: string
  citations?: Citation[]
  steps?: Step[]
  /** Price of reading attachments for this model, in dollars: part of the cost in `usage`. */
  readingUsd?: number
  usage?: { model: string; tokens: TokenCount; costUsd?: number }
  failure?: Failure
}

export type AnswerChange =
  | AnswerEvent
  | { type: 'stopped' }
  | { type: 'failed'; failure: Failure }
  | { type: 'broken-off' }

export type AnswerStart = Pick<Answer, 'text' | 'reasoning'> &
  Partial<Pick<Answer, 'thinkingMs' | 'citations' | 'steps'>>

export function newAnswer(startedAt: number, from: AnswerStart): Answer {
  return {
    status: 'streaming',
    phase: 'waiting',
    text: from.text,
    reasoning: from.reasoning,
    thinkingMs: from.thinkingMs ?? 0,
    startedAt,
    ...(from.citations && { citations: from.citations }),
    ...(from.steps && { steps: from.steps }),
  }
}

/** Returns the answer after one more event, which came at `now`. */
export function reduceAnswer(answer: Answer, event: AnswerChange, now: number): Answer {
  if (answer.status !== 'streaming') return answer
  switch (event.type) {
    case 'accepted':
      return {
        ...answer,
        ...(event.requestId && { requestId: event.requestId }),
        ...(event.deprecation && { notice: event.deprecation }),
      }
    case 'reasoning-delta':
      return {
        ...answer,
        phase: 'thinking',
        reasoning: answer.reasoning + event.text,
        thinkingSince: answer.thinkingSince ?? now,
      }
    case 'text-delta':
      return { ...thoughtUntil(answer, now), phase: 'writing', text: answer.text + event.text }
    case 'citations':
      return withCitations(answer, event.citations)
    case 'search':
      return withOutcome(answer, event.outcome)
    case 'assists':
      return {
        ...answer,
        steps: [...(answer.steps ?? []), ...event.assists],
        ...(event.costUsd !== undefined && { readingUsd: event.costUsd }),
      }
    case 'tool-call-delta':
      return { ...thoughtUntil(answer, now), steps: withToolCall(answer.steps ?? [], event) }
    case 'choice-end':
      return { ...thoughtUntil(answer, now), finishReason: event.reason }
    case 'usage':
      return { ...answer, usage: event }
    case 'error':
      return ended(answer, now, 'failed', {
        code: event.code,
        message: event.message,
        ...(answer.requestId && { requestId: answer.requestId }),
        ...(event.retryAfterSeconds !== undefined && { retryAt: now + event.retryAfterSeconds * 1000 }),
      })
    case 'failed':
      return ended(answer, now, answer.text ? 'interrupted' : 'failed', event.failure)
    case 'stopped':
      return ended(answer, now, 'stopped')
    case 'end':
      return ended(answer, now, 'done')
    case 'broken-off':
      // Some upstreams never send the end marker: a finish reason is an end too.
      return answer.finishReason ? ended(answer, now, 'done') : ended(answer, now, 'interrupted')
  }
}

/** Keeps the sources of the first part of an answer that goes on: its marks name their places. */
function withCitations(answer: Answer, citations: Citation[]): Answer {
  const steps: Step[] = [...(answer.steps ?? []), { type: 'search', sources: citations.length }]
  return { ...answer, citations: answer.citations?.length ? answer.citations : citations, steps }
}

function withOutcome(answer: Answer, outcome: SearchOutcome): Answer {
  const steps = answer.steps ?? []
  const at = steps.findLastIndex((step) => step.type === 'search')
  if (at === -1) return { ...answer, steps: [...steps, { type: 'search', sources: 0, outcome }] }
  return { ...answer, steps: steps.map((step, place) => (place === at ? { ...step, outcome } : step)) as Step[] }
}

/** Adds a piece of a tool call: its name comes first, then its input. Calls are told apart by their place. */
function withToolCall(
  steps: Step[],
  { index, name, input }: Extract<AnswerEvent, { type: 'tool-call-delta' }>,
): Step[] {
  if (name !== undefined) return [...steps, { type: 'tool', name, input }]
  let place = -1
  return steps.map((step) => {
    if (step.type !== 'tool') return step
    place += 1
    return place === index ? { ...step, input: step.input + input } : step
  })
}

function thoughtUntil(answer: Answer, now: number): Answer {
  if (answer.thinkingSince === undefined) return answer
  const { thinkingSince, ...rest } = answer
  return { ...rest, thinkingMs: answer.thinkingMs + (now - thinkingSince) }
}

function ended(answer: Answer, now: number, status: MessageStatus, failure?: Failure): Answer {
  return { ...thoughtUntil(answer, now), status, endedAt: now, ...(failure && { failure }) }
}
