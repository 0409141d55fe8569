import { type BatchItem, MAX_CALLS, newItem } from '@/components/rpc/batch/items'
import type { RpcCallDraft } from '@/components/rpc/client'
import { isRecord } from '@/lib/browser/api'
import { isVaultOn } from '@/lib/browser/vault/flag'

/** The batch of this tab. It outlives the screen, and a reload. */
const KEY = 'lagoon:rpc-batch'

let kept: readonly BatchItem[] | undefined
/** The call that was brought along last, so that coming back with the same one adds nothing. */
let lastSeed: string | undefined

/** What the builder opens with: a batch that is opened again, else the one of before with the call on the desk. */
export function openItems(seed: RpcCallDraft, calls: readonly RpcCallDraft[] | undefined): BatchItem[] {
  const print = JSON.stringify(seed)
  if (calls) {
    lastSeed = print
    return calls.slice(0, MAX_CALLS).map(newItem)
  }
  const items = kept ?? stored()
  if (print === lastSeed && items.length > 0) return [...items]
  lastSeed = print
  return items.length < MAX_CALLS ? [...items, newItem(seed)] : [...items]
}

export function keepItems(items: readonly BatchItem[]): void {
  kept = items
  // With the vault on, what a person writes is plain nowhere.
  if (isVaultOn()) return
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ items, lastSeed }))
  } catch {
    // No storage, or no room in it: then the batch lasts as long as the page.
  }
}

/** What was kept before a reload; it may be of another version. */
function stored(): BatchItem[] {
  if (isVaultOn()) return []
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
    if (!isRecord(found) || !Array.isArray(found.items)) return []
    if (typeof found.lastSeed === 'string') lastSeed = found.lastSeed
    return found.items.filter(isItem).slice(0, MAX_CALLS)
  } catch {
    return []
  }
}

const isItem = (item: unknown): item is BatchItem =>
  isRecord(item) && [item.id, item.method, item.paramsText].every((text) => typeof text === 'string')
