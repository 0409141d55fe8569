'use client'

import { ArrowLeftRight, ChartColumn, Copy, KeyRound, LogOut, Plus } from 'lucide-react'
import { type ReactNode, type RefObject, useRef } from 'react'
import { AnchoredPopover } from '@/components/ui/anchored-popover'
import { announce } from '@/components/ui/announcer'
import { MENU, MENU_ITEM } from '@/components/ui/menu'
import { showToast } from '@/components/ui/toast'
import { goTo } from '@/lib/browser/commands'
import { openTopUp, openWallet } from '@/lib/browser/dialogs'
import { failureOf } from '@/lib/browser/failure'
import { CHAIN_NAME } from '@/lib/browser/format/address'
import { queryClient } from '@/lib/browser/queries'
import { signOut } from '@/lib/browser/session'
import type { Family } from '@/lib/contract/chains'
import { t } from '@/lib/i18n/t'

type AccountMenuProps = {
  isOpen: boolean
  onClose: () => void
  anchor: RefObject<HTMLElement | null>
  address: string
  family: Family
  onDone?: () => void
}

export function AccountMenu({ isOpen, onClose, anchor, address, family, onDone }: AccountMenuProps) {
  // What was picked happens when the menu is gone and the focus is back, so that a dialog gives it back in its turn.
  const next = useRef<() => void>(undefined)
  const pick = (action: () => void) => {
    next.current = action
    onClose()
  }
  const leaveFor = (open: () => unknown) => {
    onDone?.()
    void open()
  }
  const onClosed = () => {
    anchor.current?.focus()
    next.current?.()
    next.current = undefined
  }
  return (
    <AnchoredPopover
      {...{ isOpen, onClose, anchor, onClosed }}
      label={t('Wallet menu')}
      side="top"
      align="start"
      className={`${MENU} w-64`}
    >
      <p className="border-b border-line px-2 pt-1.5 pb-2 text-12 text-ink-3">
        {t('Signed in on {network}', { network: CHAIN_NAME[family] })}
        <span dir="ltr" className="mt-1 block font-mono text-ink-2 wrap-anywhere">
          {address}
        </span>
      </p>
      <div className="pt-1">
        <Item onPick={() => pick(() => void copy(address))} icon={<Copy {...ICON} />}>
          {t('Copy address')}
        </Item>
        <Item onPick={() => pick(() => leaveFor(openTopUp))} icon={<Plus {...ICON} />}>
          {t('Add credit')}
        </Item>
        <Item onPick={() => pick(() => leaveFor(() => goTo('/usage')))} icon={<ChartColumn {...ICON} />}>
          {t('Usage')}
        </Item>
        <Item onPick={() => pick(() => leaveFor(() => goTo('/keys')))} icon={<KeyRound {...ICON} />}>
          {t('API keys')}
        </Item>
        <Item onPick={() => pick(() => leaveFor(openWallet))} icon={<ArrowLeftRight {...ICON} />}>
          {t('Change wallet')}
        </Item>
        <Item onPick={() => pick(() => void leave())} icon={<LogOut {...ICON} />}>
          {t('Sign out')}
        </Item>
      </div>
    </AnchoredPopover>
  )
}

const ICON = { 'aria-hidden': true, className: 'size-[18px] text-ink-3', strokeWidth: 1.5 } as const

type ItemProps = { icon: ReactNode; onPick: () => void; children: ReactNode }

function Item({ icon, onPick, children }: ItemProps) {
  return (
    <button type="button" onClick={onPick} className={`${MENU_ITEM} cursor-pointer hover:bg-hover`}>
      {icon}
      {children}
    </button>
  )
}

async function copy(address: string): Promise<void> {
  await navigator.clipboard.writeText(address)
  showToast({ text: t('Address copied') })
}

async function leave(): Promise<void> {
  try {
    await signOut(queryClient())
    announce(t('Signed out'))
    // The button that had the focus is gone.
    document.querySelector('main')?.focus()
  } catch (error) {
    // It has no place of its own: the menu is gone.
    showToast({
      text: t('Could not sign out. {why}', { why: failureOf(error).message }),
      action: { label: t('Retry'), run: () => void leave() },
    })
  }
}
