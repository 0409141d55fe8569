import { useSyncExternalStore } from 'react'

/** Who answers the next question beside the chosen model. Lasts for one question, and not longer than the page. */
let second: string | undefined
const listeners = new Set<() => void>()

export function useSecondModel(): [string | undefined, (modelId: string | undefined) => void] {
  const value = useSyncExternalStore(
    subscribe,
    () => second,
    () => undefined,
  )
  return [value, setSecondModel]
}

function setSecondModel(modelId: string | undefined): void {
  second = modelId
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
