import { create } from 'zustand'

export type Next = 'asking' | readonly string[]

const MAX_ANSWERS = 32

/** By answer, oldest first. In the memory of this page only, so that none outlives it. */
const useSuggestions = create<{ kept: ReadonlyMap<string, Next> }>(() => ({ kept: new Map() }))

export const useNext = (answerId: string): Next | undefined =>
  useSuggestions(({ kept: suggestions }) => suggestions.get(answerId))

export const nextOf = (answerId: string): Next | undefined => useSuggestions.getState().kept.get(answerId)

export function keepNext(answerId: string, next?: Next): void {
  const suggestions = new Map(useSuggestions.getState().kept)
  suggestions.delete(answerId)
  if (next) suggestions.set(answerId, next)
  const oldest = suggestions.keys().next().value
  if (suggestions.size > MAX_ANSWERS && oldest !== undefined) suggestions.delete(oldest)
  useSuggestions.setState({ kept: suggestions })
}
