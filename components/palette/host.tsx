'use client'

import { Component, type ReactNode, useState } from 'react'
import { Slot } from '@/components/common/slots'
import { createPart, SHEET_OVERLAY } from '@/components/ui/part'
import { showToast } from '@/components/ui/toast'
import { closeOverlay, useOverlay } from '@/lib/browser/dialogs'
import type { NetworkSearch } from '@/lib/browser/palette-items'
import { t } from '@/lib/i18n/t'

let fetchNetworks: () => Promise<NetworkSearch> = async () => () => []

/** Registers where the search for networks and methods is fetched: it is large, and loaded when the palette opens. */
export function provideNetworkSearch(fetch: () => Promise<NetworkSearch>): void {
  fetchNetworks = fetch
}

/** The only place that loads the palette: a second `import()` would make a second set of chunks. */
const palettePart = createPart(async () => {
  const [{ Palette, warm }, searchNetworks] = await Promise.all([
    import('@/components/palette/palette'),
    fetchNetworks(),
  ])
  return { Palette, warm, searchNetworks }
})

/** Fetches the palette with all that a search in it needs, so that it works offline. */
export async function warmPalette(): Promise<void> {
  const { warm } = await palettePart.load()
  await warm()
}

export function PaletteHost() {
  const opened = useOverlay()
  if (!opened) return null
  return (
    <Guard key={opened.kind}>
      {opened.kind === 'palette' ? (
        <SoonPalette query={opened.query} />
      ) : (
        <Slot part="ShortcutSheet" onClose={closeOverlay} />
      )}
    </Guard>
  )
}

function SoonPalette({ query }: { query: string }) {
  const [opener] = useState(() => document.activeElement)
  const [typed, setTyped] = useState(query)
  const part = palettePart.use(true)
  if (part)
    return <part.Palette {...{ opener, searchNetworks: part.searchNetworks }} query={typed} onClose={closeOverlay} />
  const close = () => {
    closeOverlay()
    if (opener instanceof HTMLElement) opener.focus()
  }
  return <LoadingPalette typed={typed} onType={setTyped} onClose={close} />
}

type LoadingPaletteProps = { typed: string; onType: (typed: string) => void; onClose: () => void }

/** Takes what is typed until the palette is fetched. */
export function LoadingPalette({ typed, onType, onClose }: LoadingPaletteProps) {
  return (
    <div
      role="dialog"
      aria-modal="true"
      aria-busy="true"
      aria-label={t('Search and commands')}
      className={SHEET_OVERLAY}
      onPointerDown={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      <input
        ref={(field) => field?.focus()}
        dir="auto"
        value={typed}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Tab') event.preventDefault()
          if (event.key === 'Escape') onClose()
        }}
        aria-label={t('Search and commands')}
        placeholder={t('Search chats, models, networks, settings…')}
        className="mx-auto block min-h-13 w-full border-line bg-surface px-4 text-16 outline-none placeholder:text-ink-3 sm:mt-[12vh] sm:w-[min(40rem,calc(100vw-2rem))] sm:rounded-card sm:border"
      />
    </div>
  )
}

class Guard extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override componentDidCatch() {
    closeOverlay()
    showToast({ text: t('Could not load. Check your connection and try again.') })
  }

  override render() {
    return this.state.hasFailed ? null : this.props.children
  }
}
