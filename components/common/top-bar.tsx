'use client'

import { useQuery } from '@tanstack/react-query'
import { Menu, PanelLeftOpen } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { Slot } from '@/components/common/slots'
import { IconButton } from '@/components/ui/button'
import { createPart, usePopover } from '@/components/ui/part'
import { answerCosts, type BalanceState, balanceState } from '@/lib/browser/balance'
import { toggleSidebar } from '@/lib/browser/commands'
import { openWallet } from '@/lib/browser/dialogs'
import { formatExactMoney, formatMoney, formatUnitless, moneyOf } from '@/lib/browser/format/cost'
import { usePreference } from '@/lib/browser/preferences'
import { sessionQuery } from '@/lib/browser/queries'
import { msg, t } from '@/lib/i18n/t'

export function TopBar({ children }: { children: ReactNode }) {
  const [sheet, setSheet] = useState<'unopened' | 'open' | 'closed'>('unopened')
  const opener = useRef<HTMLButtonElement>(null)
  return (
    <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2 md:px-3">
      <IconButton
        ref={opener}
        id="open-chats"
        label={t('Open chats')}
        aria-haspopup="dialog"
        aria-expanded={sheet === 'open'}
        onClick={() => setSheet('open')}
        className="md:hidden"
      >
        <Menu aria-hidden="true" />
      </IconButton>
      {sheet !== 'unopened' && (
        <Slot part="SidebarSheet" isOpen={sheet === 'open'} onClose={() => setSheet('closed')} opener={opener} />
      )}
      <span className="sidebar-opener">
        <IconButton label={t('Open sidebar (Ctrl B)')} onClick={toggleSidebar}>
          <PanelLeftOpen aria-hidden="true" className="rtl:-scale-x-100" />
        </IconButton>
      </span>
      <div className="flex min-w-0 flex-1 items-center gap-1">{children}</div>
      <SignInButton />
      <BalanceChip />
    </header>
  )
}

function SignInButton() {
  const session = useQuery(sessionQuery())
  if (!session.isSuccess || session.data) return null
  return (
    <button
      type="button"
      className="inline-flex h-8 shrink-0 items-center rounded-chip border border-line px-3 text-14 font-medium transition-colors hover:border-control md:[:root:not([data-sidebar=closed])_&]:hidden pointer-coarse:h-11"
      onClick={() => void openWallet()}
    >
      {t('Sign in')}
    </button>
  )
}

const balanceMenu = createPart(() => import('@/components/common/balance-menu'))

const CHIP =
  'inline-flex h-8 shrink-0 items-center rounded-chip border px-3 text-14 font-medium tabular-nums transition-colors pointer-coarse:h-11'

const TONES: Record<BalanceState, string> = {
  fine: 'border-line text-ink hover:border-control',
  low: 'border-brass text-brass',
  empty: 'border-danger text-danger',
}

function BalanceChip() {
  const session = useQuery(sessionQuery())
  const [stored] = usePreference('answerCosts')
  const { trigger, popover } = usePopover(balanceMenu)
  if (session.isPending || (session.isSuccess && !session.data)) return null
  if (!session.data) {
    return (
      <button type="button" className={`${CHIP} border-line text-ink-2`} onClick={() => session.refetch()}>
        {t('Balance unavailable. Retry')}
      </button>
    )
  }
  const { kind, sandbox, balanceUsd, balanceDiem } = session.data
  const credit = moneyOf(balanceUsd)
  const allowance = moneyOf(balanceDiem)
  const state = balanceState({ kind, credit, allowance }, answerCosts(stored)?.average)
  const shown = formatMoney(credit)
  const asides = [
    ...(sandbox ? [t('test money')] : []),
    ...(allowance > 0n ? [t('+ {amount} DIEM today', { amount: formatUnitless(allowance) })] : []),
  ]
  return (
    <>
      <button
        {...trigger}
        type="button"
        title={formatExactMoney(credit)}
        aria-label={t(SPOKEN[state], { amount: [shown, ...asides].join(' ') })}
        className={`${CHIP} ${TONES[state]}`}
      >
        {shown}
        {state !== 'fine' && <Gauge state={state} />}
        {asides.map((aside) => (
          <span key={aside} className="ps-0.5 text-12 font-normal whitespace-pre text-ink-3 max-sm:hidden">
            {` ${aside}`}
          </span>
        ))}
      </button>
      {popover && <popover.part.BalanceMenu {...popover.props} session={session.data} state={state} />}
    </>
  )
}

const SPOKEN: Record<BalanceState, string> = {
  fine: msg('Credit balance: {amount}'),
  low: msg('Credit balance: {amount}, low'),
  empty: msg('Credit balance: {amount}, used up'),
}

function Gauge({ state }: { state: Exclude<BalanceState, 'fine'> }) {
  return (
    <svg viewBox="0 0 12 12" aria-hidden="true" className="ms-1.5 size-3">
      {state === 'empty' ? (
        <circle cx="6" cy="6" r="4" fill="currentColor" />
      ) : (
        <>
          <circle cx="6" cy="6" r="5" fill="none" stroke="currentColor" strokeWidth="1.25" />
          <path d="M6 6V1a5 5 0 0 1 5 5Z" fill="currentColor" />
        </>
      )}
    </svg>
  )
}
