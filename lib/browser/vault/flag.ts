import { createStore } from 'zustand/vanilla'
import { readStored } from '@/lib/browser/local-storage'

/**
 * Whether this browser's chats are in the vault: only a mark that says which code to load; the truth is in the vault's
 * own database. Part of the first load and of workers, so it has no React.
 */

export type VaultView = 'off' | 'locked' | 'open'

const KEY = 'lagoon:vault'

/** As it was when the page was loaded: a page is reloaded where the vault is turned on, off, or locked. */
export const vaultView = createStore<VaultView>(() => 'off')
if (hasMark()) vaultView.setState('locked')

// Another tab turned it on or off. Not `typeof window`: the compiler takes that for true in workers, too.
if ('window' in globalThis)
  window.addEventListener('storage', ({ key }) => {
    if (key === KEY) window.location.reload()
  })

export const isVaultOn = (): boolean => vaultView.getState() !== 'off'

export const isLocked = (): boolean => vaultView.getState() === 'locked'

export function noteOpen(): void {
  if (isVaultOn()) vaultView.setState('open')
}

/** Returns false without storage, and in a worker: there is no vault to open. */
export function hasMark(): boolean {
  return readStored(KEY) === 'on'
}

export function markVault(isOn: boolean): void {
  if (isOn) localStorage.setItem(KEY, 'on')
  else localStorage.removeItem(KEY)
}
