'use client'

import { Dialog } from 'radix-ui'
import type { RefObject } from 'react'
import { DocsNav } from '@/components/docs/docs-nav'
import { CloseButton, SideSheet } from '@/components/ui/modal'
import type { DocsTree } from '@/lib/contract/docs'
import { t } from '@/lib/i18n/t'

type NavSheetProps = { tree: DocsTree; isOpen: boolean; onClose: () => void; opener: RefObject<HTMLElement | null> }

export function NavSheet({ tree, isOpen, onClose, opener }: NavSheetProps) {
  return (
    <SideSheet isOpen={isOpen} onClose={onClose} opener={opener} className="flex w-[min(20rem,86vw)] flex-col">
      <div className="flex h-12 shrink-0 items-center justify-between border-b border-line ps-4 pe-2">
        <Dialog.Title className="text-14 font-medium">{t('Documentation')}</Dialog.Title>
        <CloseButton />
      </div>
      <nav aria-label={t('Documentation')} className="thin-scroll min-h-0 flex-1 overflow-y-auto p-3">
        <DocsNav tree={tree} onDone={onClose} />
      </nav>
    </SideSheet>
  )
}
