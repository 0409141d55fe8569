import { useSyncExternalStore } from 'react'
import { followVault, isLocked, isVaultOn } from '@/lib/browser/vault/flag'

export type VaultView = 'off' | 'locked' | 'open'

/** Whether this browser's chats are encrypted, and whether this page can read them. */
export const useVault = (): VaultView => useSyncExternalStore(followVault, view, () => 'off')

const view = (): VaultView => {
  if (!isVaultOn()) return 'off'
  return isLocked() ? 'locked' : 'open'
}
