'use client'

import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type ComponentProps, type ReactNode, type RefObject, useState } from 'react'
import { IconButton } from '@/components/ui/button'
import { SHEET_OVERLAY } from '@/components/ui/part'
import { t } from '@/lib/i18n/t'

type ModalProps = Omit<ComponentProps<typeof Dialog.Content>, 'onCloseAutoFocus'> & {
  isOpen?: boolean
  onClose: () => void
  overlay?: string | null
  giveFocus?: (opener: Element | null) => void
}

export function Modal({
  isOpen = true,
  onClose,
  overlay = SHEET_OVERLAY,
  giveFocus = focusOn,
  className,
  ...content
}: ModalProps) {
  const [opener] = useState(() => document.activeElement)
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        {overlay !== null && <Dialog.Overlay className={overlay} />}
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            giveFocus(opener)
          }}
          className={`enter fixed outline-none ${className}`}
          {...content}
        />
      </Dialog.Portal>
    </Dialog.Root>
  )
}

export function focusOn(element: Element | null): void {
  if (element instanceof HTMLElement && element.isConnected) element.focus()
}

export const CloseButton = () => (
  <Dialog.Close asChild>
    <IconButton label={t('Close')}>
      <X aria-hidden="true" />
    </IconButton>
  </Dialog.Close>
)

type SideSheetProps = {
  isOpen: boolean
  onClose: () => void
  opener: RefObject<HTMLElement | null>
  className: string
  children: ReactNode
}

export function SideSheet({ isOpen, onClose, opener, className, children }: SideSheetProps) {
  return (
    <Modal
      {...{ isOpen, onClose, children }}
      overlay="fixed inset-0 z-30 bg-[rgb(10_12_16/0.45)]"
      giveFocus={() => opener.current?.focus()}
      className={`inset-y-0 start-0 z-30 border-e border-line bg-paper pt-[env(safe-area-inset-top)] pb-[env(safe-area-inset-bottom)] ${className}`}
    />
  )
}

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
