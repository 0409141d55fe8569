'use client'

import { RefreshCw, WifiOff } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { Slot } from '@/components/common/slots'
import { Sidebar } from '@/components/shell/sidebar'
import { Announcer } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { Guard } from '@/components/ui/guard'
import { fetchToasts, Toaster } from '@/components/ui/toast'
import { useShortcuts } from '@/lib/browser/commands'
import { atFirstSign, FIRST_MOMENTS_MS } from '@/lib/browser/first-sign'
import { isChatPath } from '@/lib/browser/navigation'
import { catchInstallOffer, takeOver, useIsOnline, useIsUpdateReady } from '@/lib/browser/offline'
import { vaultView } from '@/lib/browser/vault/flag'
import { t } from '@/lib/i18n/t'

const STRIP =
  'flex min-h-9 items-center justify-center gap-2 border-b border-line bg-sunken px-4 py-1 text-13 text-ink-2'

const UNLOCKED = ['/settings', '/wallet', '/usage', '/keys', '/docs', '/s/']

type FrameProps = { startIdle: () => Promise<void>; children: ReactNode }

export function Frame({ startIdle, children }: FrameProps) {
  useShortcuts()
  useViewportHeight()
  useLater(startIdle)
  useEffect(() => atFirstSign(fetchToasts, FIRST_MOMENTS_MS), [])
  const pathname = usePathname()
  const main = useRef<HTMLElement>(null)
  useFocusOfScreen(pathname, main)
  const isChat = isChatPath(pathname)
  const isCovered = useStore(vaultView) === 'locked' && !UNLOCKED.some((path) => pathname.startsWith(path))
  return (
    <div className="frame flex flex-col">
      <a
        href="#main"
        className="sr-only z-50 rounded-control bg-accent px-4 py-2 text-14 text-on-accent focus:not-sr-only focus:fixed focus:start-3 focus:top-3"
      >
        {isChat ? t('Skip to chat') : t('Skip to content')}
      </a>
      <OfflineStrip />
      <div className="flex min-h-0 flex-1">
        <aside aria-label={t('Chats')} className="sidebar-inline w-68 shrink-0 border-e border-line">
          <Sidebar />
        </aside>
        <main ref={main} id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          {isCovered ? <Slot part="LockScreen" /> : children}
        </main>
      </div>
      <Slot part="PaletteHost" />
      <Announcer />
      <Guard instead={null}>
        <Toaster />
      </Guard>
    </div>
  )
}

function useFocusOfScreen(pathname: string, main: RefObject<HTMLElement | null>) {
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    if (document.activeElement === document.body) main.current?.focus({ preventScroll: true })
  }, [pathname, main])
}

function useLater(startIdle: FrameProps['startIdle']) {
  useEffect(() => {
    const letGo = catchInstallOffer()
    // Without a connection it waits for one: no page breaks for want of what it does not need.
    const start = () => {
      startIdle().catch(() => window.addEventListener('online', start, { once: true }))
    }
    const timer = setTimeout(start, FIRST_MOMENTS_MS)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('online', start)
      letGo()
    }
  }, [startIdle])
}

/** Keeps the frame above the keyboard where browsers lay it over the page (Safari); the others shrink the page. */
function useViewportHeight() {
  useEffect(() => {
    const viewport = window.visualViewport
    if (!viewport) return
    const root = document.documentElement
    const fit = () => {
      // A pinch zoom shrinks the visual viewport too, and must not shrink the page.
      const isKeyboard = viewport.scale === 1 && window.innerHeight - viewport.height > 80
      if (isKeyboard) root.style.setProperty('--viewport-height', `${viewport.height}px`)
      else root.style.removeProperty('--viewport-height')
    }
    viewport.addEventListener('resize', fit)
    return () => viewport.removeEventListener('resize', fit)
  }, [])
}

function OfflineStrip() {
  const isOnline = useIsOnline()
  const isUpdateReady = useIsUpdateReady()
  return (
    <div role="status" className="pt-[env(safe-area-inset-top)]">
      {!isOnline && (
        <p className={STRIP}>
          <WifiOff aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.5} />
          {t('You’re offline. You can read chats; messages wait until you’re back online.')}
        </p>
      )}
      {isOnline && isUpdateReady && <UpdateStrip />}
    </div>
  )
}

function UpdateStrip() {
  const [isWaiting, setIsWaiting] = useState(false)
  const reload = async () => {
    setIsWaiting(true)
    const { untilIdle } = await import('@/lib/browser/running-answers')
    await untilIdle()
    takeOver()
  }
  return (
    <p className={STRIP}>
      <RefreshCw aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.5} />
      {t('Update ready')}
      <Button kind="plain" disabled={isWaiting} onClick={() => void reload()} className="text-accent">
        {isWaiting ? t('Reloads after this answer') : t('Reload')}
      </Button>
    </p>
  )
}
