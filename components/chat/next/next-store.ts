import { create } from 'zustand'

export type Next = 'asking' | readonly string[]

const MAX_ANSWERS = 32

/** By answer, oldest first. In the memory of this page only, so that none outlives it. */
const useSuggestions = create<{ suggestions: ReadonlyMap<string, Next> }>(() => ({ suggestions: new Map() }))

export const useNext = (answerId: string): Next | undefined =>
  useSuggestions(({ suggestions }) => suggestions.get(answerId))

export const nextOf = (answerId: string): Next | undefined => useSuggestions.getState().suggestions.get(answerId)

export function keepNext(answerId: string, next?: Next): void {
  const suggestions = new Map(useSuggestions.getState().suggestions)
  suggestions.delete(answerId)
  if (next) suggestions.set(answerId, next)
  const oldest = suggestions.keys().next().value
  if (suggestions.size > MAX_ANSWERS && oldest !== undefined) suggestions.delete(oldest)
  useSuggestions.setState({ suggestions })
}
