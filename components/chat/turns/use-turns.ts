import { useLiveQuery } from 'dexie-react-hooks'
import { useEffect, useMemo, useRef } from 'react'
import { settleAbandoned } from '@/components/chat/asking/abandoned'
import { learnPrices } from '@/components/chat/asking/charges'
import type { Run } from '@/components/chat/asking/runs'
import { loadUnfinished } from '@/lib/browser/storage/answers'
import type { Unfinished } from '@/lib/browser/storage/records'
import { keepUnchanged, type Turn } from '@/lib/browser/storage/thread'
import type { ThreadRead } from '@/lib/browser/storage/use-thread'

/** How often an answer that another tab writes is checked for being abandoned. */
const ABANDONED_CHECK_MS = 2_000

const NONE: ReadonlyMap<string, Unfinished> = new Map()

/** The stored branch, with the answers that are being written laid over it. */
export function useTurns(conversationId: string, thread: ThreadRead | undefined, runs: readonly Run[]): Turn[] {
  const before = useRef<Turn[]>([])
  const kept = useMemo(() => {
    before.current = thread ? keepUnchanged(before.current, thread.turns) : []
    return before.current
  }, [thread])
  const foreign = useForeignAnswers(conversationId, foreignIds(kept, runs))
  usePrices(conversationId, thread)
  return useMemo(() => withLiveWords(kept, runs, foreign), [kept, runs, foreign])
}

function withLiveWords(turns: Turn[], runs: readonly Run[], foreign: ReadonlyMap<string, Unfinished>): Turn[] {
  const live = (turn: Turn): Turn => {
    if (turn.status !== 'streaming') return turn
    const run = runs.find(({ messageId }) => messageId === turn.id)
    if (run) return overlay(turn, run)
    const left = foreign.get(turn.id)
    if (!left) return turn
    const { text, reasoning, citations, steps } = left
    return { ...turn, text, reasoning, ...(citations && { citations }), ...(steps && { steps }) }
  }
  return turns.map((turn) => {
    const one = live(turn)
    if (!turn.compared) return one
    const compared = turn.compared.map(live)
    const isSame = one === turn && compared.every((other, at) => other === turn.compared?.[at])
    return isSame ? turn : { ...one, compared }
  })
}

function overlay(turn: Turn, { answer }: Run): Turn {
  const { failure, notice, finishReason, thinkingSince, citations, steps } = answer
  const { status, text, reasoning, phase, thinkingMs } = answer
  return {
    ...turn,
    ...{ status, text, reasoning, phase, thinkingMs },
    ...(thinkingSince !== undefined && { thinkingSince }),
    ...(failure && { failure }),
    ...(notice && { notice }),
    ...(finishReason && { finishReason }),
    ...(citations && { citations }),
    ...(steps && { steps }),
  }
}

/** Answers on screen that are being written, but not by this page. */
function foreignIds(turns: Turn[], runs: readonly Run[]): string {
  const shown = turns.flatMap((turn) => turn.compared ?? [turn])
  const open = shown.filter(
    ({ id, status }) => status === 'streaming' && !runs.some(({ messageId }) => messageId === id),
  )
  return open.map(({ id }) => id).join(' ')
}

/** Answers that this page does not write: followed while another tab does, ended when no tab does. */
function useForeignAnswers(conversationId: string, ids: string): ReadonlyMap<string, Unfinished> {
  const unfinished = useLiveQuery(async () => {
    const found = await Promise.all(split(ids).map((id) => loadUnfinished({ id, conversationId })))
    return new Map(found.flatMap((left) => (left ? [[left.messageId, left]] : [])))
  }, [conversationId, ids])
  useEffect(() => {
    if (ids === '') return
    const settle = () => {
      for (const id of split(ids)) void settleAbandoned({ id, conversationId })
    }
    settle()
    const timer = setInterval(settle, ABANDONED_CHECK_MS)
    return () => clearInterval(timer)
  }, [conversationId, ids])
  return unfinished ?? NONE
}

const split = (ids: string): string[] => (ids === '' ? [] : ids.split(' '))

/** What was left before its price was said is asked for when its chat is opened. */
function usePrices(conversationId: string, thread: ThreadRead | undefined): void {
  const isLoaded = thread !== undefined
  useEffect(() => {
    if (isLoaded) void learnPrices(conversationId)
  }, [conversationId, isLoaded])
}
