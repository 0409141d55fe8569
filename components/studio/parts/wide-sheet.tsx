'use client'

import { Dialog } from 'radix-ui'
import type { ComponentProps } from 'react'
import { CloseButton, Modal } from '@/components/ui/modal'

type WideSheetProps = ComponentProps<typeof Modal> & { title: string }

export function WideSheet({ title, children, ...modal }: WideSheetProps) {
  return (
    <Modal
      {...modal}
      className="inset-0 z-40 flex flex-col bg-paper pt-[env(safe-area-inset-top)] pb-[env(safe-area-inset-bottom)] text-14 md:inset-6 md:rounded-composer md:border md:border-line md:shadow-over"
    >
      <div className="flex shrink-0 items-center justify-between gap-3 py-2 ps-4 pe-2">
        <Dialog.Title className="font-serif text-18">{title}</Dialog.Title>
        <CloseButton />
      </div>
      {children}
    </Modal>
  )
}
