import { useStore } from 'zustand'
import { type VaultView, vaultView } from '@/lib/browser/vault/flag'

export const useVault = (): VaultView => useStore(vaultView)
