import { create } from 'zustand'

export type Next = 'asking' | readonly string[]

const MAX_KEPT = 32

/** By answer, oldest first. In the memory of this page only, so that none outlives it. */
const useKept = create<{ kept: ReadonlyMap<string, Next> }>(() => ({ kept: new Map() }))

export const useNext = (answerId: string): Next | undefined => useKept(({ kept }) => kept.get(answerId))

export const nextOf = (answerId: string): Next | undefined => useKept.getState().kept.get(answerId)

export function keepNext(answerId: string, next?: Next): void {
  const kept = new Map(useKept.getState().kept)
  kept.delete(answerId)
  if (next) kept.set(answerId, next)
  const oldest = kept.keys().next().value
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
  useKept.setState({ kept })
}
