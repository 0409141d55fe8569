import { getWallets } from '@wallet-standard/app'
import { useEffect } from 'react'
import { create } from 'zustand'
import type { FoundWallet } from '@/components/wallet/connect/offers'

// Wallets that announce themselves later than this are listed, but no longer waited for.
const LATE_MS = 700

type Discovery = { evm: FoundWallet[]; solana: FoundWallet[]; isLooking: boolean; hasFailed: boolean }

const useStore = create<Discovery>(() => ({ evm: [], solana: [], isLooking: true, hasFailed: false }))

let isStarted = false

/** Returns the wallets of this browser. The first component that asks starts the search. */
export function useDiscovery() {
  useEffect(() => {
    if (!isStarted) search()
  }, [])
  const { evm, solana, isLooking, hasFailed } = useStore()
  return { wallets: [...evm, ...solana], isLooking, hasFailed }
}

export function search(): void {
  isStarted = true
  useStore.setState({ isLooking: true, hasFailed: false })
  const searches = [findEvm(), isAndroid() ? findPhoneWallets() : Promise.resolve(findSolana())]
  void Promise.allSettled(searches).then((outcomes) => {
    const hasFailed = outcomes.some(({ status }) => status === 'rejected')
    const { evm, solana } = useStore.getState()
    setTimeout(() => useStore.setState({ isLooking: false, hasFailed }), evm.length + solana.length > 0 ? 0 : LATE_MS)
  })
}

async function findEvm(): Promise<void> {
  const { evmWallets, onEvmWallets } = await import('@/components/wallet/connect/evm')
  const update = () => useStore.setState({ evm: evmWallets() })
  onEvmWallets(update)
  update()
}

// Reads names and icons from the registry; the adapters, which are large, are fetched when one is chosen.
function findSolana(): void {
  const registry = getWallets()
  const update = () => {
    const solana = registry
      .get()
      .filter(({ chains, features }) => 'standard:connect' in features && chains.some(isSolana))
      .map(({ name, icon }): FoundWallet => ({ family: 'solana', id: name, name, icon }))
    useStore.setState({ solana })
  }
  registry.on('register', update)
  registry.on('unregister', update)
  update()
}

// On Android other apps are wallets too, and only the adapters know them.
async function findPhoneWallets(): Promise<void> {
  const { solanaWallets, onSolanaWallets } = await import('@/components/wallet/connect/solana')
  const update = () => useStore.setState({ solana: solanaWallets() })
  onSolanaWallets(update)
  update()
}

const isSolana = (chain: string): boolean => chain.startsWith('solana:')
const isAndroid = (): boolean => /android/i.test(navigator.userAgent)
