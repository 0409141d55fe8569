import { useSyncExternalStore } from 'react'

/** Questions that might come after an answer, or that they are being asked for. */
export type Next = 'asking' | readonly string[]

/** Answers whose questions are kept: only that of a chat's end shows them. */
const MAX_KEPT = 32

/** By answer. In the memory of this page only, so that none outlives it. */
const kept = new Map<string, Next>()
const listeners = new Set<() => void>()

export function useNext(answerId: string): Next | undefined {
  return useSyncExternalStore(
    subscribe,
    () => kept.get(answerId),
    () => undefined,
  )
}

export const nextOf = (answerId: string): Next | undefined => kept.get(answerId)

/** Without `next` what was there goes. */
export function keepNext(answerId: string, next?: Next): void {
  kept.delete(answerId)
  if (next) kept.set(answerId, next)
  const oldest = kept.keys().next().value
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
