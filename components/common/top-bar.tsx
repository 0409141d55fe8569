'use client'

import { useQuery } from '@tanstack/react-query'
import { Menu, PanelLeftOpen } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { BalanceChip } from '@/components/common/balance-chip'
import { Slot } from '@/components/common/slots'
import { IconButton } from '@/components/ui/button'
import { openWallet } from '@/lib/browser/dialogs'
import { sessionQuery } from '@/lib/browser/queries'
import { toggleSidebar } from '@/lib/browser/shortcut-handlers'
import { t } from '@/lib/i18n/t'

/** The bar of a screen: the way to the sidebar, the screen's own parts, the balance. */
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

/** The way to sign in where the sidebar is away: on a phone, and where it was closed. */
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
