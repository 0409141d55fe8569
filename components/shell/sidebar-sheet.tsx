'use client'

import { Dialog } from 'radix-ui'
import type { RefObject } from 'react'
import { Sidebar } from '@/components/shell/sidebar'

type SidebarSheetProps = {
  isOpen: boolean
  onClose: () => void
  /** Where the focus goes back to. */
  opener: RefObject<HTMLElement | null>
}

/** The sidebar as a sheet from the left, where there is no room beside the page. */
export function SidebarSheet({ isOpen, onClose, opener }: SidebarSheetProps) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-30 bg-[rgb(10_12_16/0.45)]" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            opener.current?.focus()
          }}
          className="enter fixed inset-y-0 start-0 z-30 w-[min(20rem,86vw)] border-e border-line bg-paper pt-[env(safe-area-inset-top)] pb-[env(safe-area-inset-bottom)] outline-none"
        >
          <Dialog.Title className="sr-only">Chats</Dialog.Title>
          <Sidebar onDone={onClose} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
