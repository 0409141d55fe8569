'use client'

import { Menu, PanelLeftOpen } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { BalanceChip } from '@/components/common/balance-chip'
import { SignInButton } from '@/components/common/sign-in-button'
import { Slot } from '@/components/common/slots'
import { IconButton } from '@/components/ui/button'
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
