import { useStore } from 'zustand'
import { type VaultView, vaultView } from '@/lib/browser/vault/flag'

/** Whether this browser's chats are encrypted, and whether this page can read them. */
export const useVault = (): VaultView => useStore(vaultView)
