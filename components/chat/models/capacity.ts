import { useSyncExternalStore } from 'react'

/** How long a model that was full is called busy. */
const BUSY_MS = 5 * 60_000

/** When each model was last full, by the clock of this page. */
const fullAt = new Map<string, number>()
const listeners = new Set<() => void>()
let version = 0

/** Keeps in mind that a model had no room (503, or 429 from the model's side), for as long as this page is open. */
export function noteFull(modelId: string): void {
  fullAt.set(modelId, performance.now())
  changed()
}

/** A model that answers is not full. */
export function noteServing(modelId: string): void {
  if (fullAt.delete(modelId)) changed()
}

/** Which models had no room in the last minutes. */
export function useBusyModels(): (modelId: string) => boolean {
  useSyncExternalStore(
    subscribe,
    () => version,
    () => 0,
  )
  return (modelId) => isBusy(modelId)
}

export function isBusy(modelId: string, now = performance.now()): boolean {
  const at = fullAt.get(modelId)
  return at !== undefined && now - at < BUSY_MS
}

function changed(): void {
  version += 1
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
