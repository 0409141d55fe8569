/**
 * Whether this browser's chats are in the vault. Only a mark that says which code to load: what is so is in the vault's own
 * database. Part of the first load, and therefore small.
 */

const KEY = 'lagoon:vault'
const isOn = hasMark()
let isOpen = false
const listeners = new Set<() => void>()

/** As it was when the page was loaded: a page is loaded anew where it changes. */
export const isVaultOn = (): boolean => isOn

/** As it is now. */
export function hasMark(): boolean {
  try {
    return localStorage.getItem(KEY) === 'on'
  } catch {
    // No storage, or a worker: there is no vault to open.
    return false
  }
}

export function markVault(isOn: boolean): void {
  if (isOn) localStorage.setItem(KEY, 'on')
  else localStorage.removeItem(KEY)
}

/** Whether the chats wait for their passphrase. */
export const isLocked = (): boolean => isVaultOn() && !isOpen

/** Says that the chats of this page are there. They are locked by loading the page anew, which leaves nothing behind. */
export function noteOpen(): void {
  isOpen = true
  for (const listener of listeners) listener()
}

/** Calls back when the vault opens. Where another tab turned it on or off, this page is loaded anew. */
export function followVault(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('storage', onStorage)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) window.removeEventListener('storage', onStorage)
  }
}

function onStorage({ key }: StorageEvent): void {
  if (key === KEY) window.location.reload()
}
