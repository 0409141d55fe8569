'use client'

import { useQuery } from '@tanstack/react-query'
import {
  BookText,
  ChevronsUpDown,
  Command,
  Drama,
  type LucideIcon,
  PanelLeftClose,
  ReceiptText,
  Settings,
  Sparkles,
  SquarePen,
  SquareTerminal,
  WalletMinimal,
  X,
} from 'lucide-react'
import { usePathname, useRouter } from 'next/navigation'
import { type MouseEvent, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { HistoryLoading } from '@/components/common/placeholders'
import { Slot } from '@/components/common/slots'
import { Wordmark } from '@/components/common/wordmark'
import { Button, IconButton } from '@/components/ui/button'
import { Guard } from '@/components/ui/guard'
import { createPart, usePopover } from '@/components/ui/part'
import { Sentence } from '@/components/ui/sentence'
import { isNarrow } from '@/components/ui/use-narrow'
import { goTo, newChat, toggleLedger, toggleSidebar } from '@/lib/browser/commands'
import { openPalette, openWallet } from '@/lib/browser/dialogs'
import { atFirstSign, FIRST_MOMENTS_MS } from '@/lib/browser/first-sign'
import { CHAIN_NAME, shortAddress } from '@/lib/browser/format/address'
import { usePreference } from '@/lib/browser/preferences'
import { sessionQuery } from '@/lib/browser/queries'
import { vaultView } from '@/lib/browser/vault/flag'
import { msg, t } from '@/lib/i18n/t'

type SidebarProps = { onDone?: () => void }

export function Sidebar({ onDone }: SidebarProps) {
  const { push } = useRouter()
  const vault = useStore(vaultView)
  const pathname = usePathname()
  const isListDue = useIsListDue(onDone !== undefined)
  const linkProps = { onGo: push, ...(onDone && { onDone }) }
  const isWalletNear = ['/wallet', ...WALLET_PARTS.map(({ path }) => path)].some((path) => isAt(pathname, path))
  const start = () => {
    newChat()
    onDone?.()
  }
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-12 shrink-0 items-center justify-between ps-4 pe-2">
        <Wordmark />
        <div className="flex">
          <IconButton
            label={t('Command menu (Ctrl K)')}
            aria-haspopup="dialog"
            onClick={() => {
              onDone?.()
              openPalette()
            }}
          >
            <Command aria-hidden="true" />
          </IconButton>
          <IconButton label={onDone ? t('Close') : t('Close sidebar (Ctrl B)')} onClick={onDone ?? toggleSidebar}>
            {onDone ? <X aria-hidden="true" /> : <PanelLeftClose aria-hidden="true" className="rtl:-scale-x-100" />}
          </IconButton>
        </div>
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
        <ScreenLink screen={CHARACTERS} {...linkProps} />
        <div className="flex gap-1 pt-1">
          {SCREENS.map((screen) => (
            <ScreenLink key={screen.path} screen={screen} isTile {...linkProps} />
          ))}
        </div>
        {isWalletNear && WALLET_PARTS.map((part) => <ScreenLink key={part.path} screen={part} {...linkProps} />)}
      </div>
      {vault === 'locked' ? (
        <div className="min-h-0 flex-1">
          <Slot part="LockedList" />
        </div>
      ) : (
        <Guard instead={<NoStorage />}>
          {isListDue ? <Slot part="HistoryPanel" {...(onDone && { onDone })} /> : <HistoryLoading />}
        </Guard>
      )}
      <div className="shrink-0 border-t border-line p-2">
        {vault === 'open' && <Slot part="LockButton" />}
        <div className="flex items-center gap-1">
          <div className="min-w-0 flex-1">
            <Account {...(onDone && { onDone })} />
          </div>
          <FootButtons {...(onDone && { onDone })} />
        </div>
      </div>
    </div>
  )
}

function useIsListDue(isSheet: boolean): boolean {
  const [isDue, setIsDue] = useState(isSheet)
  useEffect(() => {
    const show = () => setIsDue(true)
    if (isSheet || !isNarrow()) return show()
    return atFirstSign(show, FIRST_MOMENTS_MS)
  }, [isSheet])
  return isDue
}

function NoStorage() {
  return (
    <p className="min-h-0 flex-1 px-4 pt-4 text-14 text-ink-2">
      {t('Chats can’t be read or saved in this browser. Allow site storage in the browser settings, or free up space.')}
    </p>
  )
}

type Screen = { path: string; name: string; icon?: LucideIcon }

const CHARACTERS: Screen = { path: '/characters', name: msg('Characters'), icon: Drama }

const SCREENS: readonly Screen[] = [
  { path: '/wallet', name: msg('Wallet'), icon: WalletMinimal },
  { path: '/studio', name: msg('Studio'), icon: Sparkles },
  { path: '/rpc', name: 'RPC', icon: SquareTerminal },
  { path: '/docs', name: msg('Docs'), icon: BookText },
]

const WALLET_PARTS: readonly Screen[] = [
  { path: '/usage', name: msg('Usage') },
  { path: '/keys', name: msg('API keys') },
]

const isAt = (pathname: string, path: string): boolean => pathname === path || pathname.startsWith(`${path}/`)

type ScreenLinkProps = Pick<SidebarProps, 'onDone'> & { screen: Screen; onGo: (href: string) => void; isTile?: boolean }

function ScreenLink({ screen, onGo, onDone, isTile = false }: ScreenLinkProps) {
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
  const layout = isTile
    ? 'min-h-13 min-w-0 flex-auto flex-col justify-center gap-1 px-1.5 text-12'
    : 'min-h-10 gap-2.5 px-2 text-14 pointer-coarse:min-h-11'
  return (
    <a
      href={path}
      onClick={go}
      aria-current={isOpen ? 'page' : undefined}
      className={`flex items-center rounded-control ${layout} ${isOpen ? 'bg-accent-soft' : 'hover:bg-hover'}`}
    >
      {Icon ? (
        <Icon aria-hidden="true" className="size-[18px] shrink-0 text-ink-3" strokeWidth={1.5} />
      ) : (
        <span aria-hidden="true" className="w-[18px]" />
      )}
      <span className="max-w-full truncate">{t(name)}</span>
    </a>
  )
}

type FootButtonsProps = { onDone?: () => void }

function FootButtons({ onDone }: FootButtonsProps) {
  const [ledger] = usePreference('ledger')
  return (
    <>
      <IconButton
        label={t('Cost ledger (L)')}
        aria-pressed={ledger === 'shown'}
        onClick={toggleLedger}
        className="aria-pressed:text-ink"
      >
        <ReceiptText aria-hidden="true" />
      </IconButton>
      <IconButton
        label={t('Settings (Ctrl .)')}
        onClick={() => {
          onDone?.()
          goTo('/settings')
        }}
      >
        <Settings aria-hidden="true" />
      </IconButton>
    </>
  )
}

const accountMenu = createPart(() => import('@/components/shell/account-menu'))

type AccountProps = { onDone?: () => void }

function Account({ onDone }: AccountProps) {
  const session = useQuery(sessionQuery())
  const { trigger, popover } = usePopover(accountMenu)
  if (session.isPending) return <div aria-hidden="true" className="skeleton mx-2 my-3 h-4 w-32" />
  const { address, family } = session.data ?? {}
  if (!address || !family) return <SignInRow {...(onDone && { onDone })} />
  return (
    <>
      <button
        {...trigger}
        type="button"
        className="flex min-h-10 w-full items-center gap-2.5 rounded-control px-2 text-start text-14 hover:bg-hover aria-expanded:bg-hover pointer-coarse:min-h-11"
      >
        <span aria-hidden="true" className="flex size-[18px] shrink-0 items-center justify-center">
          <span className="size-2 rounded-chip bg-ok" />
        </span>
        <Sentence
          text="<hidden>Wallet</hidden> <address/> <hidden>on</hidden> <network/>"
          parts={{
            hidden: (text) => <span className="sr-only">{` ${text} `}</span>,
            address: () => (
              <span className="min-w-0 flex-1 truncate font-mono text-13">
                <bdi dir="ltr">{shortAddress(address)}</bdi>
              </span>
            ),
            network: () => <span className="sr-only">{CHAIN_NAME[family]}</span>,
          }}
        />
        <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.5} />
      </button>
      {popover && session.data && (
        <popover.part.AccountMenu {...popover.props} address={address} family={family} {...(onDone && { onDone })} />
      )}
    </>
  )
}

function SignInRow({ onDone }: AccountProps) {
  const start = () => {
    onDone?.()
    void openWallet()
  }
  return (
    <Button className="w-full" onClick={start}>
      <WalletMinimal aria-hidden="true" className="size-[18px] text-accent" strokeWidth={1.5} />
      {t('Sign in')}
    </Button>
  )
}
