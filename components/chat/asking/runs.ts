import { useSyncExternalStore } from 'react'
import type { Answer } from '@/components/chat/asking/answer'

/** An answer that this page is writing, or wrote last in its chat. */
export type Run = { conversationId: string; messageId: string; answer: Answer; stop: () => void }

const NONE: readonly Run[] = []

/** Runs live outside the screen: an answer goes on while the person reads another chat. Several may run in one. */
const runs = new Map<string, readonly Run[]>()
const listeners = new Set<() => void>()

/** Whether a chat is being answered. Who asks only this is not drawn anew with each word. */
export function useIsAnswering(conversationId: string | null): boolean {
  const read = () => conversationId !== null && isAnswering(conversationId)
  return useSyncExternalStore(subscribe, read, () => false)
}

/** The runs of a chat, oldest first. */
export function useRuns(conversationId: string | null): readonly Run[] {
  const read = () => (conversationId === null ? NONE : runsOf(conversationId))
  return useSyncExternalStore(subscribe, read, () => NONE)
}

export const runsOf = (conversationId: string): readonly Run[] => runs.get(conversationId) ?? NONE

const isRunning = ({ answer }: Run): boolean => answer.status === 'streaming'

export const isAnswering = (conversationId: string): boolean => runsOf(conversationId).some(isRunning)

/** Stops the answers of a chat. */
export function stopRun(conversationId: string): void {
  for (const run of runsOf(conversationId)) run.stop()
}

/** Puts a run where the screen sees it, in the place of the last one of its message. Those that ended before go. */
export function beginRun(run: Run): void {
  const others = runsOf(run.conversationId).filter((other) => other.messageId !== run.messageId && isRunning(other))
  runs.set(run.conversationId, [...others, run])
  notifyNextFrame()
}

/** Changes what a run has answered so far. */
export function changeRun({ conversationId, messageId }: Run, change: (answer: Answer) => Answer): void {
  runs.set(
    conversationId,
    runsOf(conversationId).map((run) => (run.messageId === messageId ? { ...run, answer: change(run.answer) } : run)),
  )
  notifyNextFrame()
}

/** Takes a run away that came to nothing. */
export function dropRun({ conversationId, messageId }: Run): void {
  runs.set(
    conversationId,
    runsOf(conversationId).filter((run) => run.messageId !== messageId),
  )
  notifyNextFrame()
}

/** Words are drawn thirty times a second at most: more nobody reads. */
const DRAW_EVERY_MS = 32
/** Where drawing is slow, it is done less often: it takes this part of the page's time, and what is typed has the rest. */
const MOST_OF_TIME = 1 / 3
const RAREST_MS = 160

let isAwaited = false
let drawnAt = 0
/** How long the last drawings took, with their layout and paint; the newest counts most. */
let usualMs = 0

/** Many events, one drawing: what comes between two drawings is shown together. */
function notifyNextFrame(): void {
  if (isAwaited) return
  isAwaited = true
  requestAnimationFrame(onFrame)
}

/**
 * At most once a frame, and not within it: what the words take is a task beside that of laying out and painting, and a key is
 * heard between the two.
 */
function onFrame(now: number): void {
  const every = Math.min(RAREST_MS, Math.max(DRAW_EVERY_MS, usualMs / MOST_OF_TIME))
  if (now - drawnAt < every) {
    requestAnimationFrame(onFrame)
    return
  }
  drawnAt = now
  setTimeout(draw)
}

function draw(): void {
  isAwaited = false
  const startedAt = performance.now()
  for (const listener of listeners) listener()
  // Behind what the listeners have put off till the end of this task, and then behind the frame that shows it.
  queueMicrotask(() => {
    const wordsMs = performance.now() - startedAt
    requestAnimationFrame(() => {
      const frameAt = performance.now()
      setTimeout(() => {
        usualMs = (usualMs + wordsMs + performance.now() - frameAt) / 2
      })
    })
  })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
