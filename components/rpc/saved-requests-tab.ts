import { useSyncExternalStore } from 'react'

export type ShelfTab = 'history' | 'saved'

type Shown = { tab: ShelfTab; isOpen: boolean }

let shown: Shown = { tab: 'history', isOpen: true }
const first = shown
const listeners = new Set<() => void>()

/** What lies on the shelf, and whether it is open. It stays so while the page lives. */
export function useShelf(): Shown {
  return useSyncExternalStore(
    subscribe,
    () => shown,
    () => first,
  )
}

export function showShelf(tab: ShelfTab): void {
  set({ tab, isOpen: true })
}

export function toggleShelf(): void {
  set({ ...shown, isOpen: !shown.isOpen })
}

function set(next: Shown): void {
  shown = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
