'use client'

import type { ReactNode, RefObject } from 'react'
import { Modal } from '@/components/ui/modal'

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
