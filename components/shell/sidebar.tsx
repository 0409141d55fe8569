'use client'

import {
  BookText,
  Drama,
  type LucideIcon,
  PanelLeftClose,
  Search,
  Sparkles,
  SquarePen,
  SquareTerminal,
  WalletMinimal,
  X,
} from 'lucide-react'
import dynamic from 'next/dynamic'
import { usePathname, useRouter } from 'next/navigation'
import { type MouseEvent, useEffect, useState } from 'react'
import { HistorySkeleton } from '@/components/history/skeleton'
import { openPalette } from '@/components/palette/open'
import { Account } from '@/components/shell/account'
import { Appearance } from '@/components/shell/appearance'
import { atFirstSign, FIRST_MOMENTS_MS } from '@/components/shell/first-sign'
import { Guard } from '@/components/shell/guard'
import { newChat, toggleSidebar } from '@/components/shell/shortcuts'
import { Wordmark } from '@/components/shell/wordmark'
import { IconButton } from '@/components/ui/button'
import { isNarrow } from '@/components/ui/use-narrow'
import { useVault } from '@/components/vault/use-vault'
import { msg, t } from '@/lib/i18n/t'

const HistoryPanel = dynamic(() => import('@/components/history/panel').then((module) => module.HistoryPanel), {
  ssr: false,
  loading: () => <HistoryLoading />,
})

const LockedList = dynamic(() => import('@/components/vault/sidebar-parts').then((module) => module.LockedList), {
  ssr: false,
})
const LockButton = dynamic(() => import('@/components/vault/sidebar-parts').then((module) => module.LockButton), {
  ssr: false,
})

type SidebarProps = {
  /** Called when something was chosen, where the sidebar lies over the page. */
  onDone?: () => void
}

/** Chats of this device, and what applies to all of them. */
export function Sidebar({ onDone }: SidebarProps) {
  const { push } = useRouter()
  const vault = useVault()
  const isListDue = useIsListDue(onDone !== undefined)
  const start = () => {
    newChat()
    onDone?.()
  }
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-12 shrink-0 items-center justify-between ps-4 pe-2">
        <Wordmark />
        <IconButton label={onDone ? t('Close') : t('Close sidebar (Ctrl B)')} onClick={onDone ?? toggleSidebar}>
          {onDone ? <X aria-hidden="true" /> : <PanelLeftClose aria-hidden="true" className="rtl:-scale-x-100" />}
        </IconButton>
      </div>
      <div className="px-2 pt-2 pb-1">
        <button
          type="button"
          onClick={start}
          className="group flex min-h-10 w-full items-center gap-2.5 rounded-control px-2 text-14 font-medium hover:bg-hover pointer-coarse:min-h-11"
        >
          <SquarePen aria-hidden="true" className="size-[18px] text-accent" strokeWidth={1.5} />
          {t('New chat')}
        </button>
        <button
          type="button"
          aria-haspopup="dialog"
          onClick={() => {
            onDone?.()
            openPalette()
          }}
          className="flex min-h-10 w-full items-center gap-2.5 rounded-control px-2 text-14 hover:bg-hover pointer-coarse:min-h-11"
        >
          <Search aria-hidden="true" className="size-[18px] text-ink-3" strokeWidth={1.5} />
          {t('Search')}
          <kbd dir="ltr" className="ms-auto font-mono text-12 text-ink-3 pointer-coarse:hidden">
            Ctrl K
          </kbd>
        </button>
        {SCREENS.map((screen) => (
          <ScreenLinks key={screen.path} screen={screen} onGo={push} {...(onDone && { onDone })} />
        ))}
      </div>
      {vault === 'locked' ? (
        <div className="min-h-0 flex-1">
          <LockedList />
        </div>
      ) : (
        <Guard instead={<NoStorage />}>
          {isListDue ? <HistoryPanel {...(onDone && { onDone })} /> : <HistoryLoading />}
        </Guard>
      )}
      <div className="shrink-0 border-t border-line p-2">
        {vault === 'open' && <LockButton />}
        <Account {...(onDone && { onDone })} />
      </div>
      <div className="flex shrink-0 items-center border-t border-line p-2">
        <Appearance {...(onDone && { onDone })} />
      </div>
    </div>
  )
}

/** Where the sidebar is not seen, its list is no part of how the page begins. */
function useIsListDue(isSheet: boolean): boolean {
  const [isDue, setIsDue] = useState(isSheet)
  useEffect(() => {
    const show = () => setIsDue(true)
    if (isSheet || !isNarrow()) return show()
    return atFirstSign(show, FIRST_MOMENTS_MS)
  }, [isSheet])
  return isDue
}

/** Some private windows keep nothing, and a damaged database cannot be read: everything else still works. */
function NoStorage() {
  return (
    <p className="min-h-0 flex-1 px-4 pt-4 text-14 text-ink-2">
      {t('This browser does not let the page read or keep chats. Its settings may forbid storage, or it may be full.')}
    </p>
  )
}

type Screen = { path: string; name: string; icon?: LucideIcon; parts?: readonly Screen[] }

/** The screens beside the chats. */
const SCREENS: readonly Screen[] = [
  { path: '/characters', name: msg('Characters'), icon: Drama },
  {
    path: '/wallet',
    name: msg('Wallet'),
    icon: WalletMinimal,
    parts: [
      { path: '/usage', name: msg('Usage') },
      { path: '/keys', name: msg('API keys') },
    ],
  },
  { path: '/studio', name: msg('Studio'), icon: Sparkles },
  { path: '/rpc', name: 'RPC', icon: SquareTerminal },
  { path: '/docs', name: msg('Docs'), icon: BookText },
]

type ScreenLinkProps = Pick<SidebarProps, 'onDone'> & { screen: Screen; onGo: (href: string) => void }

/** A screen, and its parts while one is on it or on one of them. */
function ScreenLinks({ screen, ...props }: ScreenLinkProps) {
  const pathname = usePathname()
  const parts = screen.parts ?? []
  const isNear = [screen, ...parts].some(({ path }) => isAt(pathname, path))
  return (
    <>
      <ScreenLink screen={screen} {...props} />
      {isNear && parts.map((part) => <ScreenLink key={part.path} screen={part} {...props} />)}
    </>
  )
}

const isAt = (pathname: string, path: string): boolean => pathname === path || pathname.startsWith(`${path}/`)

/** To another screen. It changes the screen without loading the page anew. */
function ScreenLink({ screen, onGo, onDone }: ScreenLinkProps) {
  const { path, name, icon: Icon } = screen
  const pathname = usePathname()
  const isOpen = isAt(pathname, path)
  const go = (event: MouseEvent) => {
    const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0
    if (!isPlain) return
    event.preventDefault()
    onGo(path)
    onDone?.()
  }
  return (
    <a
      href={path}
      onClick={go}
      aria-current={isOpen ? 'page' : undefined}
      className={`flex min-h-10 items-center gap-2.5 rounded-control px-2 text-14 pointer-coarse:min-h-11 ${isOpen ? 'bg-accent-soft' : 'hover:bg-hover'}`}
    >
      {Icon ? (
        <Icon aria-hidden="true" className="size-[18px] text-ink-3" strokeWidth={1.5} />
      ) : (
        <span aria-hidden="true" className="w-[18px]" />
      )}
      {t(name)}
    </a>
  )
}

/** The field and the list, while their code is fetched. */
function HistoryLoading() {
  return (
    <div aria-hidden="true" className="min-h-0 flex-1 overflow-hidden px-2">
      <div className="skeleton mt-1 h-9" />
      <HistorySkeleton />
    </div>
  )
}
