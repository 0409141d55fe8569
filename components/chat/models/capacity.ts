import { create } from 'zustand'

/** A model that was full is called busy this long. */
const BUSY_MS = 5 * 60_000

/** When each model was last full, by the clock of this page. */
const useFullAt = create<{ fullAt: ReadonlyMap<string, number> }>(() => ({ fullAt: new Map() }))

/** Keeps in mind that a model had no room (503, or 429 from the model's side), for as long as this page is open. */
export function noteFull(modelId: string): void {
  useFullAt.setState(({ fullAt }) => ({ fullAt: new Map(fullAt).set(modelId, performance.now()) }))
}

/** Notes that a model answers, so it is not full. */
export function noteServing(modelId: string): void {
  if (!useFullAt.getState().fullAt.has(modelId)) return
  useFullAt.setState(({ fullAt }) => ({ fullAt: new Map([...fullAt].filter(([id]) => id !== modelId)) }))
}

/** Tells which models had no room in the last minutes. */
export function useBusyModels(): (modelId: string) => boolean {
  useFullAt()
  return (modelId) => isBusy(modelId)
}

export function isBusy(modelId: string, now = performance.now()): boolean {
  const at = useFullAt.getState().fullAt.get(modelId)
  return at !== undefined && now - at < BUSY_MS
}
