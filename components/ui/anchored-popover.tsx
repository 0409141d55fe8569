'use client'

import { Popover } from 'radix-ui'
import type { ReactNode, RefObject } from 'react'

type AnchoredPopoverProps = {
  isOpen: boolean
  onClose: () => void
  anchor: RefObject<HTMLElement | null>
  label: string
  side?: 'top' | 'bottom'
  align: 'start' | 'end'
  className: string
  onClosed?: () => void
  children: ReactNode
}

export function AnchoredPopover({
  isOpen,
  onClose,
  anchor,
  label,
  onClosed,
  children,
  ...place
}: AnchoredPopoverProps) {
  const isOnAnchor = (target: EventTarget | null) => target instanceof Node && anchor.current?.contains(target) === true
  return (
    <Popover.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      {/* Radix asks for an element that is there; while nothing is open it looks at none. */}
      <Popover.Anchor virtualRef={anchor as RefObject<HTMLElement>} />
      <Popover.Portal>
        <Popover.Content
          {...place}
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          // The button closes it by itself; closed here first, its click would open it again.
          onInteractOutside={(event) => isOnAnchor(event.target) && event.preventDefault()}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (onClosed) onClosed()
            else anchor.current?.focus()
          }}
        >
          {children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
