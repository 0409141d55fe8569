'use client'

import { Dialog } from 'radix-ui'
import { type RefObject, useEffect } from 'react'
import { Sidebar } from '@/components/shell/sidebar'
import { onSwipe } from '@/components/shell/swipe'
import { SideSheet } from '@/components/ui/modal'
import { t } from '@/lib/i18n/t'

type SidebarSheetProps = { isOpen: boolean; onClose: () => void; opener: RefObject<HTMLElement | null> }

export function SidebarSheet({ isOpen, onClose, opener }: SidebarSheetProps) {
  useEffect(() => (isOpen ? onSwipe((along) => along < 0 && onClose()) : undefined), [isOpen, onClose])
  return (
    <SideSheet isOpen={isOpen} onClose={onClose} opener={opener} className="w-[min(20rem,86vw)]">
      <Dialog.Title className="sr-only">{t('Chats')}</Dialog.Title>
      <Sidebar onDone={onClose} />
    </SideSheet>
  )
}
