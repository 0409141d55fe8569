'use client'

import { type ReactNode, type RefObject, useSyncExternalStore } from 'react'
import { AnchoredPopover } from '@/components/ui/anchored-popover'
import { OVERLAY } from '@/components/ui/menu'
import { Sheet } from '@/components/ui/sheet'

type FloatingProps = {
  isOpen: boolean
  onClose: () => void
  anchor: RefObject<HTMLElement | null>
  label: string
  children: ReactNode
}

/** A small panel of the composer: over its button on a desk, a sheet from below on a phone. */
export function Floating({ isOpen, onClose, anchor, label, children }: FloatingProps) {
  const isPhone = useIsPhone()
  if (isPhone) {
    return (
      <Sheet isOpen={isOpen} onClose={onClose} title={label}>
        <div className="-mx-2 pt-3">{children}</div>
      </Sheet>
    )
  }
  return (
    <AnchoredPopover
      {...{ isOpen, onClose, anchor, label }}
      side="top"
      align="start"
      className={`${OVERLAY} thin-scroll max-h-[min(32rem,70dvh)] w-[min(20rem,calc(100vw-1rem))] overflow-y-auto p-1.5`}
    >
      {children}
    </AnchoredPopover>
  )
}

/** As the style sheet decides. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = window.matchMedia(PHONE)
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => window.matchMedia(PHONE).matches,
    () => false,
  )
}

const PHONE = '(width < 56.25rem)'
