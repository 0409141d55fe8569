import { useSyncExternalStore } from 'react'
import { create } from 'zustand'
import type { RpcCallDraft } from '@/components/rpc/client'
import { isPlaygroundPath, linkOf, readLink } from '@/components/rpc/link'
import { firstMethod } from '@/components/rpc/method-list'
import { fullName } from '@/components/rpc/networks'
import { networkOf, type RpcNetwork } from '@/lib/contract/rpc-networks'
import { plural, t } from '@/lib/i18n/t'

// Browsers allow only so many changes of the address.
const ADDRESS_AFTER_MS = 400

const FIRST_NETWORK = 'ethereum-mainnet'

export type RequestDraft = {
  network: RpcNetwork
  method: string
  // `undefined` while they are the method's example.
  params: unknown
  // Calls of a batch that was opened again; the builder starts with them.
  batch?: readonly RpcCallDraft[]
  view: 'call' | 'batch'
  problem?: string
}

// Parameters of methods that were left, so that coming back finds them as they were.
const paramsByMethod = new Map<string, unknown>()
const useDraftStore = create<RequestDraft>(initialDraft)
let timer: ReturnType<typeof setTimeout> | undefined

export function draftAt(slug: string | undefined, method: string | undefined): RequestDraft {
  const network = (slug === undefined ? undefined : networkOf(slug)) ?? networkOf(FIRST_NETWORK)!
  const read = method === undefined ? {} : readLink(`/rpc/${network.slug}/${encodeURIComponent(method)}`, '')
  return { network, method: read.method ?? firstMethod(network.family), params: undefined, view: 'call' }
}

// The browser's first render already shows the address, so that nothing jumps.
function initialDraft(): RequestDraft {
  const first = draftAt(undefined, undefined)
  return typeof window === 'undefined' ? first : draftFromAddress(first)
}

export const titleOf = ({ method, network }: RequestDraft): string =>
  t('{method} on {network}', { method, network: fullName(network) })

/** Names calls that are saved before anybody named them. */
export function nameFor(calls: readonly RpcCallDraft[]): string {
  const method = calls[0]?.method ?? ''
  if (calls.length <= 1) return method
  return plural(calls.length - 1, { one: '{method} and {count} more', other: '{method} and {count} more' }, { method })
}

export function useRequestDraft(first: RequestDraft): RequestDraft {
  // A store of zustand cannot be told what the server drew.
  return useSyncExternalStore(useDraftStore.subscribe, useDraftStore.getState, () => first)
}

export const readRequestDraft = useDraftStore.getState

/** Changes the network. The default method gives way to the other family's; any other method stays. */
export function chooseNetwork(network: RpcNetwork): void {
  change({ ...onNetwork(readRequestDraft(), network), problem: undefined }, 'push')
}

function onNetwork(from: RequestDraft, network: RpcNetwork): RequestDraft {
  const isOther = network.family !== from.network.family
  if (!isOther || from.method !== firstMethod(from.network.family)) return { ...from, network }
  return { ...from, network, method: firstMethod(network.family), params: undefined }
}

export function chooseMethod(method: string): void {
  const draft = readRequestDraft()
  if (method === draft.method) return
  storeParams()
  change({ ...draft, method, params: paramsByMethod.get(method), problem: undefined }, 'push')
}

export function changeParams(params: unknown): void {
  change({ ...readRequestDraft(), params, problem: undefined }, 'replace')
}

export function resetParams(): void {
  change({ ...readRequestDraft(), params: undefined }, 'replace')
}

export function showView(view: RequestDraft['view']): void {
  change({ ...readRequestDraft(), view, batch: undefined }, 'none')
}

export function openRequest(
  network: RpcNetwork,
  calls: readonly RpcCallDraft[],
  isBatch: boolean,
  problem?: string,
): void {
  const [call] = calls
  if (!call) return
  storeParams()
  const batch = isBatch ? calls : undefined
  change(
    { network, method: call.method, params: call.params, view: isBatch ? 'batch' : 'call', batch, problem },
    'push',
  )
}

export function dismissProblem(): void {
  if (readRequestDraft().problem) change({ ...readRequestDraft(), problem: undefined }, 'none')
}

export function followAddress(): () => void {
  readAddress()
  window.addEventListener('popstate', readAddress)
  window.addEventListener('pagehide', flushAddress)
  return () => {
    flushAddress()
    window.removeEventListener('popstate', readAddress)
    window.removeEventListener('pagehide', flushAddress)
  }
}

function readAddress(): void {
  clearTimeout(timer)
  timer = undefined
  const next = draftFromAddress(readRequestDraft())
  if (next.method !== readRequestDraft().method) storeParams()
  change(next, 'none')
}

function draftFromAddress(from: RequestDraft): RequestDraft {
  const { pathname, search } = window.location
  if (!isPlaygroundPath(pathname)) return from
  const { network, method, params, problem } = readLink(pathname, search)
  const there = { ...(network ? onNetwork(from, network) : from), problem }
  if (method === undefined) return there
  const saved = method === from.method ? from.params : paramsByMethod.get(method)
  return { ...there, method, params: params ?? saved, view: 'call' }
}

function storeParams(): void {
  const { method, params } = readRequestDraft()
  paramsByMethod.set(method, params)
}

function change(next: RequestDraft, address: 'push' | 'replace' | 'none'): void {
  // What was typed last belongs to the entry that is left.
  if (address === 'push') flushAddress()
  useDraftStore.setState(next, true)
  if (address === 'push') writeAddress('push')
  if (address === 'replace') timer ??= setTimeout(flushAddress, ADDRESS_AFTER_MS)
}

function flushAddress(): void {
  if (timer === undefined) return
  clearTimeout(timer)
  timer = undefined
  writeAddress('replace')
}

// All calls share one screen, so the address changes without asking the server.
function writeAddress(how: 'push' | 'replace'): void {
  if (!isPlaygroundPath(window.location.pathname)) return
  const { href } = linkOf(readRequestDraft())
  if (href === window.location.pathname + window.location.search) return
  if (how === 'replace') window.history.replaceState(null, '', href)
  else window.history.pushState(null, '', href)
}

export type RequestsTab = 'history' | 'saved'

export const useRequestsPanel = create<{ tab: RequestsTab; isOpen: boolean }>(() => ({ tab: 'history', isOpen: true }))

export const showRequestsTab = (tab: RequestsTab): void => useRequestsPanel.setState({ tab, isOpen: true })

export const toggleRequestsPanel = (): void => useRequestsPanel.setState(({ isOpen }) => ({ isOpen: !isOpen }))
