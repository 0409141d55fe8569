import { useSyncExternalStore } from 'react'

/** What lies over the page for as long as it is used: the palette, or the list of keys. */
export type Opened = { kind: 'palette'; query: string } | { kind: 'shortcuts' }

let opened: Opened | undefined
const listeners = new Set<() => void>()

/** Opens the palette, with something already typed into it. */
export const openPalette = (query = ''): void => show({ kind: 'palette', query })

export const openShortcutSheet = (): void => show({ kind: 'shortcuts' })

export const closeOpened = (): void => show(undefined)

export const useOpened = (): Opened | undefined =>
  useSyncExternalStore(
    subscribe,
    () => opened,
    () => undefined,
  )

function show(next: Opened | undefined): void {
  // The same key closes the palette again.
  opened = next?.kind === 'palette' && opened?.kind === 'palette' ? undefined : next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
