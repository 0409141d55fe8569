import { useSyncExternalStore } from 'react'
import type { Step } from '@/lib/browser/storage/records'

/** Whether the last web search of this page failed: the service that searches is likely down for the next one, too. */
let hasFailed = false
const listeners = new Set<() => void>()

export const useHasSearchFailed = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => hasFailed,
    () => false,
  )

/** Notes how the search of an answer went; an answer that searched nothing changes nothing. */
export function noteSearch(steps: readonly Step[] = []): void {
  const last = steps.findLast((step) => step.type === 'search')
  if (last?.type !== 'search' || last.outcome === undefined || last.outcome === 'not_needed') return
  hasFailed = last.outcome === 'failed'
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
