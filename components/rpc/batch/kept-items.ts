import { type BatchItem, MAX_CALLS, newItem } from '@/components/rpc/batch/items'
import type { RpcCallDraft } from '@/lib/client/rpc'

/** The batch of this page: it is there again when a person comes back from a single call. */
let kept: readonly BatchItem[] = []
/** The call that was brought along last, so that coming back with the same one adds nothing. */
let lastSeed: string | undefined

/** What the builder opens with: a batch that is opened again, else the one of before with the call on the desk. */
export function openItems(seed: RpcCallDraft, calls: readonly RpcCallDraft[] | undefined): BatchItem[] {
  const print = JSON.stringify(seed)
  if (calls) {
    lastSeed = print
    return calls.slice(0, MAX_CALLS).map(newItem)
  }
  if (print === lastSeed && kept.length > 0) return [...kept]
  lastSeed = print
  return kept.length < MAX_CALLS ? [...kept, newItem(seed)] : [...kept]
}

export function keepItems(items: readonly BatchItem[]): void {
  kept = items
}
