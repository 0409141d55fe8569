'use client'

import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import type { ReactNode, RefObject } from 'react'
import { type ComponentProps, useState } from 'react'
import { IconButton } from '@/components/ui/button'
import { SHEET_OVERLAY } from '@/components/ui/sheet-overlay'
import { t } from '@/lib/i18n/t'

type ModalProps = Omit<ComponentProps<typeof Dialog.Content>, 'onCloseAutoFocus'> & {
  isOpen?: boolean
  onClose: () => void
  /** The look of the page behind it; `null` where nothing of the page is seen. */
  overlay?: string | null
  /** Gives the focus back when it is gone; left out, to what had it before. */
  giveFocus?: (opener: Element | null) => void
}

/** What holds the focus until it is closed. A `Dialog.Title` among its children names it. */
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

/** Gives the focus to an element while it is there. */
export function focusOn(element: Element | null): void {
  if (element instanceof HTMLElement && element.isConnected) element.focus()
}

/** The cross of a modal. */
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
  /** Where the focus goes back to. */
  opener: RefObject<HTMLElement | null>
  /** Its width and how its parts lie. */
  className: string
  /** Its title is one of them: a `Dialog.Title`. */
  children: ReactNode
}

/** A sheet from the left, for what has no room beside the page. */
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
