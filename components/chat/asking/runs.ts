import { useSyncExternalStore } from 'react'
import type { Answer } from '@/components/chat/asking/answer'
import { provideStop } from '@/lib/browser/stop-answers'

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

export const isRunning = ({ answer }: Run): boolean => answer.status === 'streaming'

export const isAnswering = (conversationId: string): boolean => runsOf(conversationId).some(isRunning)

/** Stops the answers of a chat. */
export function stopRun(conversationId: string): void {
  for (const run of runsOf(conversationId)) run.stop()
}

provideStop(stopRun)

/** Keeps what runs in a chat from now on. Nobody sees it before `showRuns`. */
export function putRuns(conversationId: string, next: readonly Run[]): void {
  runs.set(conversationId, next)
}

/** Shows the screen what runs now. */
export function showRuns(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
