import { getWallets } from '@wallet-standard/app'
import type { FoundWallet } from '@/components/wallet/connect/offers'

/** Wallets that announce themselves late are waited for this long before the list says that there are none. */
const LATE_MS = 700

type Discovery = {
  wallets: FoundWallet[]
  isLooking: boolean
  /** A part of the search could not be loaded. */
  hasFailed: boolean
}

let found: Discovery = { wallets: [], isLooking: true, hasFailed: false }
let evm: FoundWallet[] = []
let solana: FoundWallet[] = []
const listeners = new Set<() => void>()
let isStarted = false

/** The wallets of this browser, for `useSyncExternalStore`. The first listener starts the search. */
export function onDiscovery(listener: () => void): () => void {
  listeners.add(listener)
  if (!isStarted) start()
  return () => void listeners.delete(listener)
}

export const discovery = (): Discovery => found

/** Searches again after a failure. */
export function lookAgain(): void {
  publish({ isLooking: true, hasFailed: false })
  start()
}

function start(): void {
  isStarted = true
  const looks = [lookForEvm(), isAndroid() ? lookForPhoneWallets() : Promise.resolve(lookForSolana())]
  void Promise.allSettled(looks).then((outcomes) => {
    const hasFailed = outcomes.some(({ status }) => status === 'rejected')
    setTimeout(() => publish({ isLooking: false, hasFailed }), found.wallets.length > 0 ? 0 : LATE_MS)
  })
}

async function lookForEvm(): Promise<void> {
  const { evmWallets, onEvmWallets } = await import('@/components/wallet/connect/evm')
  const look = () => {
    evm = evmWallets()
    publish()
  }
  onEvmWallets(look)
  look()
}

/** Names and icons come from the registry itself; the adapters, which are large, are fetched when one is chosen. */
function lookForSolana(): void {
  const registry = getWallets()
  const look = () => {
    solana = registry
      .get()
      .filter(({ chains, features }) => 'standard:connect' in features && chains.some(isSolana))
      .map(({ name, icon }) => ({ family: 'solana', id: name, name, icon }))
    publish()
  }
  registry.on('register', look)
  registry.on('unregister', look)
  look()
}

/** On Android other apps are wallets, too, and only the adapters know them. */
async function lookForPhoneWallets(): Promise<void> {
  const { solanaWallets, onSolanaWallets } = await import('@/components/wallet/connect/solana')
  const look = () => {
    solana = solanaWallets()
    publish()
  }
  onSolanaWallets(look)
  look()
}

function publish(progress?: Omit<Discovery, 'wallets'>): void {
  found = { ...found, ...progress, wallets: [...evm, ...solana] }
  for (const listener of listeners) listener()
}

const isSolana = (chain: string): boolean => chain.startsWith('solana:')
const isAndroid = (): boolean => /android/i.test(navigator.userAgent)
