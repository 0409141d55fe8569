import { create } from 'zustand'

/** What lies over the page for as long as it is used: the palette, or the list of shortcuts. */
export type Opened = { kind: 'palette'; query: string } | { kind: 'shortcuts' }

const useOverlay = create<{ opened?: Opened | undefined }>(() => ({}))

/** Opens the palette, with something already typed into it. The same key closes the palette again. */
export const openPalette = (query = ''): void =>
  useOverlay.setState(({ opened }) => ({
    opened: opened?.kind === 'palette' ? undefined : { kind: 'palette', query },
  }))

export const openShortcutSheet = (): void => useOverlay.setState({ opened: { kind: 'shortcuts' } })

export const closeOpened = (): void => useOverlay.setState({ opened: undefined })

export const useOpened = (): Opened | undefined => useOverlay(({ opened }) => opened)
