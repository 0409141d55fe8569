'use client'

import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type ComponentProps, type ReactNode, type RefObject, useState } from 'react'
import { IconButton } from '@/components/ui/button'
import { SHEET_OVERLAY } from '@/components/ui/sheet-overlay'
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
