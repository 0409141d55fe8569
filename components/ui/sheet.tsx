'use client'

import { Dialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { CloseButton, Modal } from '@/components/ui/modal'

type SheetProps = {
  isOpen: boolean
  onClose: () => void
  title: string
  lead?: ReactNode
  isHeld?: boolean
  isWide?: boolean
  children: ReactNode
}

export function Sheet({ isOpen, onClose, title, lead, isHeld = false, isWide = false, children }: SheetProps) {
  return (
    <Modal
      {...{ isOpen, onClose }}
      giveFocus={giveFocusTo}
      onInteractOutside={(event) => isHeld && event.preventDefault()}
      className={`inset-x-0 bottom-0 z-40 mx-auto flex max-h-[92dvh] w-full flex-col rounded-t-composer border border-b-0 border-line bg-paper pb-[env(safe-area-inset-bottom)] text-14 shadow-over sm:inset-y-0 sm:my-auto sm:h-fit sm:max-h-[min(44rem,92dvh)] sm:rounded-composer sm:border-b sm:pb-0 ${isWide ? 'sm:w-[min(46rem,calc(100vw-2rem))]' : 'sm:w-[min(27rem,calc(100vw-2rem))]'}`}
    >
      <div className="flex shrink-0 items-center justify-between gap-3 ps-6 pe-3 pt-3">
        <div className="min-w-0 flex-1">{lead}</div>
        <CloseButton />
      </div>
      <div className="thin-scroll min-h-0 overflow-y-auto px-6 pb-6">
        <Dialog.Title className="font-serif text-24 font-[440] tracking-[-0.01em] text-balance">{title}</Dialog.Title>
        {children}
      </div>
    </Modal>
  )
}

function giveFocusTo(opener: Element | null): void {
  const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body
  const target = isThere ? opener : document.querySelector<HTMLElement>('main')
  target?.focus()
}
