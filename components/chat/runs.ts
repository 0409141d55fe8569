import { useSyncExternalStore } from 'react'
import { allowed } from '@/components/chat/allowed'
import { type Answer, type AnswerChange, newAnswer, reduceAnswer } from '@/components/chat/answer'
import { announce, announceAnswer } from '@/components/ui/announcer'
import { rememberCost } from '@/lib/client/answer-costs'
import { type ChatQuestion, streamAnswer } from '@/lib/client/chat-stream'
import { moneyOf } from '@/lib/client/cost'
import { failureOf, isSessionOver } from '@/lib/client/failure'
import type { Receipt } from '@/lib/client/history'
import { queryClient } from '@/lib/client/queries'
import { ensureSession, forgetSession, SESSION_KEY, type Session } from '@/lib/client/session'
import { uuid } from '@/lib/core/ids'

/** How often a growing answer is saved: what a crash can cost. */
const SAVE_EVERY_MS = 400
/** How often a long wait is spoken to a screen reader. */
const SPEAK_EVERY_MS = 7_000
/** What an answer that was left costs is settled a moment after it was left. */
const SETTLED_AFTER_MS = 800

/** The database of chats, loaded when it is first needed: it is not part of what the page starts with. */
export const history = () => import('@/lib/client/history')

/** An answer that this page is writing, or wrote last in its chat. */
export type Run = { messageId: string; answer: Answer; stop: () => void }

/** Runs live outside the screen: an answer goes on while the person reads another chat. */
const runs = new Map<string, Run>()
const listeners = new Set<() => void>()

/** The run of a chat. */
export function useRun(conversationId: string | null): Run | undefined {
  const read = () => (conversationId === null ? undefined : runs.get(conversationId))
  return useSyncExternalStore(subscribe, read, () => undefined)
}

export function isAnswering(conversationId: string): boolean {
  return runs.get(conversationId)?.answer.status === 'streaming'
}

/**
 * Ends an answer that nobody writes any more: its tab was closed or reloaded. The writer of an answer holds its lock
 * from before the answer is stored until it is finished, so a free lock means that it broke off.
 */
export async function settleAbandoned(messageId: string): Promise<void> {
  await navigator.locks.request(lockOf(messageId), { ifAvailable: true }, async (lock) => {
    if (!lock) return
    const { db, finishAnswer } = await history()
    const left = await db.unfinished.get(messageId)
    const words = { text: left?.text ?? '', reasoning: left?.reasoning ?? '' }
    await finishAnswer(messageId, { ...words, changes: { status: 'interrupted' } })
  })
}

/** Stops the answer of a chat that is going away. */
export function stopRun(conversationId: string): void {
  runs.get(conversationId)?.stop()
}

export type RunStart = {
  conversationId: string
  messageId: string
  /**
   * Stores what the run begins with. Runs under the answer's lock, so that no tab takes the answer for abandoned. False
   * when this answer is not to be written after all: someone else was first.
   */
  prepare: () => Promise<boolean>
  question: ChatQuestion
  /** Asked although the day's cap is reached: the person said so, for this once. */
  isDayWaived?: boolean
  /** What the answer already has, when it goes on. */
  from?: { text: string; reasoning: string; thinkingMs?: number }
}

/**
 * Asks, and keeps the answer as it comes. Resolves when it is saved: a failure to answer is an outcome, too.
 *
 * @throws whatever the browser's storage throws when it refuses.
 */
export async function startRun(start: RunStart): Promise<void> {
  const { conversationId, messageId, prepare, question, from } = start
  const controller = new AbortController()
  const run: Run = {
    messageId,
    answer: newAnswer(Date.now(), from ?? { text: '', reasoning: '' }),
    stop: () => {
      apply({ type: 'stopped' })
      controller.abort()
    },
  }
  const apply = (event: AnswerChange) => {
    const current = runs.get(conversationId) ?? run
    runs.set(conversationId, { ...current, answer: reduceAnswer(current.answer, event, Date.now()) })
    notifyNextFrame()
  }
  const answer = () => runs.get(conversationId)?.answer ?? run.answer
  const discard = (error?: unknown) => {
    runs.delete(conversationId)
    notifyNextFrame()
    if (error !== undefined) throw error
  }
  runs.set(conversationId, run)
  notifyNextFrame()
  announce('Sending')

  await navigator.locks.request(lockOf(messageId), async () => {
    if (!(await prepare().catch(discard))) return discard()
    const saving = keepSaving(messageId, answer)
    const speaking = setInterval(() => announce(spokenPhase(answer())), SPEAK_EVERY_MS)
    try {
      await ask(await allowed(question, start.isDayWaived === true), controller.signal, apply)
    } catch (error) {
      apply({ type: 'failed', failure: failureOf(error) })
    } finally {
      clearInterval(speaking)
      await saving.end()
    }
    await save(conversationId, messageId, answer(), question.model)
    speakOutcome(answer())
    showBalance(answer())
  })
}

/** Asks for the balance after an answer: its price is settled before its last words, or just after it was left. */
function showBalance({ status }: Answer): void {
  const refresh = () => void queryClient().invalidateQueries({ queryKey: SESSION_KEY })
  refresh()
  if (status !== 'done') setTimeout(refresh, SETTLED_AFTER_MS)
}

async function ask(question: ChatQuestion, signal: AbortSignal, apply: (event: AnswerChange) => void): Promise<void> {
  const session = await ensureSession(queryClient())
  try {
    await relay(question, signal, apply)
  } catch (error) {
    if (!isSessionOver(error)) throw error
    forgetSession(queryClient())
    // A guest signs nothing, so a fresh session is opened unasked; a wallet is asked first.
    if (session.kind !== 'guest') throw error
    await ensureSession(queryClient())
    await relay(question, signal, apply)
  }
}

async function relay(question: ChatQuestion, signal: AbortSignal, apply: (event: AnswerChange) => void): Promise<void> {
  for await (const event of streamAnswer(question, signal)) {
    apply(event)
    if (event.type === 'accepted' && event.balanceUsd !== undefined) noteBalance(event.balanceUsd)
  }
  apply({ type: 'broken-off' })
}

/** What the service said is left when it began; the price of the answer comes off when it has ended. */
function noteBalance(balanceUsd: number): void {
  queryClient().setQueryData<Session | null>(SESSION_KEY, (session) => session && { ...session, balanceUsd })
}

async function save(conversationId: string, messageId: string, answer: Answer, model: string): Promise<void> {
  const { status, text, reasoning, thinkingMs, finishReason, failure, notice } = answer
  const { finishAnswer } = await history()
  const { receipt } = receiptOf(conversationId, messageId, answer)
  if (receipt?.cost) rememberCost(receipt.cost)
  await finishAnswer(messageId, {
    text,
    reasoning,
    changes: { status, thinkingMs, modelId: answer.usage?.model || model, finishReason, failure, notice },
    ...(receipt && { receipt }),
  })
}

function receiptOf(conversationId: string, messageId: string, answer: Answer): { receipt?: Receipt } {
  if (!answer.usage) return {}
  const { model, tokens, costUsd } = answer.usage
  const at = answer.endedAt ?? Date.now()
  const receipt: Receipt = {
    id: uuid(),
    conversationId,
    messageId,
    model,
    tokens,
    at,
    durationMs: at - answer.startedAt,
    ...(answer.requestId && { requestId: answer.requestId }),
    ...(costUsd !== undefined && { cost: moneyOf(costUsd) }),
  }
  return { receipt }
}

/** Saves the growing answer on a timer, which also runs in a hidden tab, where animation frames do not. */
function keepSaving(messageId: string, answer: () => Answer) {
  let last: Answer | undefined
  let pending = Promise.resolve()
  const timer = setInterval(() => {
    const current = answer()
    if (current === last || current.status !== 'streaming') return
    last = current
    const { text, reasoning } = current
    pending = history()
      .then(({ saveUnfinished }) => saveUnfinished({ messageId, text, reasoning, savedAt: Date.now() }))
      .catch(() => undefined)
  }, SAVE_EVERY_MS)
  return {
    end: () => {
      clearInterval(timer)
      return pending
    },
  }
}

const lockOf = (messageId: string) => `answer:${messageId}`

let frame = 0

/** Many events, one drawing: chunks that come within a frame are shown together. */
function notifyNextFrame(): void {
  if (frame !== 0) return
  frame = requestAnimationFrame(() => {
    frame = 0
    for (const listener of listeners) listener()
  })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function spokenPhase(answer: Answer): string {
  return { waiting: 'Still waiting for the model', thinking: 'Still thinking', writing: 'Still answering' }[
    answer.phase
  ]
}

function speakOutcome(answer: Answer): void {
  if (answer.status === 'done') {
    announce('Answer finished')
    announceAnswer(answer.text)
  } else if (answer.status === 'stopped') announce('Stopped')
  else announce(answer.failure?.message ?? 'The answer broke off')
}
