import { create } from 'zustand'

const BUSY_MS = 5 * 60_000

const useFullAt = create<{ fullAt: ReadonlyMap<string, number> }>(() => ({ fullAt: new Map() }))

/** Notes that a model had no room (503, or 429 from the model's side), for as long as this page is open. */
export function noteFull(modelId: string): void {
  useFullAt.setState(({ fullAt }) => ({ fullAt: new Map(fullAt).set(modelId, performance.now()) }))
}

export function noteServing(modelId: string): void {
  if (!useFullAt.getState().fullAt.has(modelId)) return
  useFullAt.setState(({ fullAt }) => ({ fullAt: new Map([...fullAt].filter(([id]) => id !== modelId)) }))
}

export function useBusyModels(): (modelId: string) => boolean {
  useFullAt()
  return (modelId) => isBusy(modelId)
}

export function isBusy(modelId: string, now = performance.now()): boolean {
  const at = useFullAt.getState().fullAt.get(modelId)
  return at !== undefined && now - at < BUSY_MS
}
