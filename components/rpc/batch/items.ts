import type { RpcCallDraft } from '@/components/rpc/client'
import { isMethodName, paramsOf, parseJson, printParams, readCall } from '@/components/rpc/link'
import { hintText } from '@/components/rpc/method-list'
import type { ParamProblem } from '@/components/rpc/methods/types'
import { isRecord } from '@/lib/browser/api'
import { isVaultOn } from '@/lib/browser/vault/flag'
import { uuid } from '@/lib/contract/ids'
import { MAX_RPC_BATCH_CALLS } from '@/lib/contract/limits'
import { offerOf } from '@/lib/contract/rpc-methods'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

const MAX_IMPORT_CHARS = 4_000_000

// Parameters are text until they are sent.
export type BatchItem = { id: string; method: string; paramsText: string }

export const newItem = ({ method, params }: RpcCallDraft): BatchItem => ({
  id: uuid(),
  method,
  paramsText: printParams(params ?? []),
})

export function duplicated(items: readonly BatchItem[], id: string): BatchItem[] {
  if (items.length >= MAX_RPC_BATCH_CALLS) return [...items]
  return items.flatMap((item) => (item.id === id ? [item, { ...item, id: uuid() }] : [item]))
}

export function moved(items: readonly BatchItem[], id: string, to: number): BatchItem[] {
  const from = items.findIndex((item) => item.id === id)
  const item = items[from]
  if (!item || to < 0 || to >= items.length) return [...items]
  return items.toSpliced(from, 1).toSpliced(to, 0, item)
}

export const restored = (items: readonly BatchItem[], item: BatchItem, at: number): BatchItem[] =>
  items.length >= MAX_RPC_BATCH_CALLS ? [...items] : items.toSpliced(Math.min(at, items.length), 0, item)

export function callsOf(items: readonly BatchItem[], network: RpcNetwork): RpcCallDraft[] | undefined {
  const calls: RpcCallDraft[] = []
  for (const item of items) {
    if (faultOf(item, network) !== undefined) return undefined
    calls.push({ method: item.method, params: paramsOf(item.paramsText) })
  }
  return calls.length > 0 ? calls : undefined
}

export function faultOf({ method, paramsText }: BatchItem, network: RpcNetwork): string | undefined {
  if (method === '') return t('Enter a method.')
  if (!isMethodName(method)) return t('Invalid method name.')
  const offer = offerOf(network.family, method)
  if (!offer.isOffered) return t('Not supported: {hint}.', { hint: hintText(offer) })
  return paramsOf(paramsText) === undefined ? t('Parameters must be a JSON array or object.') : undefined
}

type Imported = { calls: RpcCallDraft[] } | { problem: string }

export function importedBatch(text: string): Imported {
  if (text.length > MAX_IMPORT_CHARS) return { problem: t('The text is too long for a batch.') }
  const value = parseJson(text)
  if (value === undefined) return { problem: t('Not valid JSON.') }
  const items = Array.isArray(value) ? value : [value]
  if (items.length === 0) return { problem: t('The batch is empty.') }
  if (items.length > MAX_RPC_BATCH_CALLS) {
    const counts = { max: MAX_RPC_BATCH_CALLS, count: items.length }
    return { problem: t('A batch can have up to {max} calls. This one has {count}.', counts) }
  }
  const calls: RpcCallDraft[] = []
  for (const [index, item] of items.entries()) {
    const call = readCall(item)
    if (!call) {
      const place = String(index + 1)
      return { problem: t('Call {place} has no method, or its parameters aren’t an array or object.', { place }) }
    }
    calls.push(call)
  }
  return { calls }
}

const MAX_NOTES = 3

type RowNote = { text: string; severity: ParamProblem['severity'] }

export type RowProblems = { fault?: string; notes: RowNote[] }

export function problemsOf(
  item: BatchItem,
  network: RpcNetwork,
  check: ((params: unknown) => ParamProblem[]) | undefined,
): RowProblems {
  const fault = faultOf(item, network)
  if (fault !== undefined) return { fault, notes: [] }
  const found = check?.(paramsOf(item.paramsText)).slice(0, MAX_NOTES) ?? []
  return { notes: found.map(({ path, message, severity }) => ({ text: problemText(path, message), severity })) }
}

function problemText(path: readonly (string | number)[], message: string): string {
  const [first, ...rest] = path
  if (first === undefined) return message
  const steps = rest.map((step) => (typeof step === 'number' ? step + 1 : step))
  return `${[typeof first === 'number' ? t('Parameter {place}', { place: String(first + 1) }) : first, ...steps].join(' › ')}: ${message}`
}

const KEY = 'lagoon:rpc-batch'

let unsent: readonly BatchItem[] | undefined
// Coming back with the same call adds nothing.
let lastSeed: string | undefined

export function initialItems(seed: RpcCallDraft, calls: readonly RpcCallDraft[] | undefined): BatchItem[] {
  const print = JSON.stringify(seed)
  if (calls) {
    lastSeed = print
    return calls.slice(0, MAX_RPC_BATCH_CALLS).map(newItem)
  }
  const items = unsent ?? stored()
  if (print === lastSeed && items.length > 0) return [...items]
  lastSeed = print
  return items.length < MAX_RPC_BATCH_CALLS ? [...items, newItem(seed)] : [...items]
}

export function storeItems(items: readonly BatchItem[]): void {
  unsent = items
  // With the vault on, what a person writes is plain nowhere.
  if (isVaultOn()) return
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ items, lastSeed }))
  } catch {
    // No storage, or no room in it: then the batch lasts as long as the page.
  }
}

// From before a reload; it may be of another version.
function stored(): BatchItem[] {
  if (isVaultOn()) return []
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
    if (!isRecord(found) || !Array.isArray(found.items)) return []
    if (typeof found.lastSeed === 'string') lastSeed = found.lastSeed
    return found.items.filter(isItem).slice(0, MAX_RPC_BATCH_CALLS)
  } catch {
    return []
  }
}

const isItem = (item: unknown): item is BatchItem =>
  isRecord(item) && [item.id, item.method, item.paramsText].every((text) => typeof text === 'string')
