'use client'

import { DropdownMenu } from 'radix-ui'
import { type FocusEvent, type ReactNode, useRef } from 'react'
import { MENU } from '@/components/ui/menu'

type FloatingMenuProps = {
  label: string
  anchor: HTMLElement
  onClose: () => void
  children: ReactNode
}

/**
 * Shows one menu for all rows of a list, at the button that was pressed. Opened by key, its first item has the focus.
 */
export function FloatingMenu({ label, anchor, onClose, children }: FloatingMenuProps) {
  const { left, top, width, height } = anchor.getBoundingClientRect()
  // Asked of the button and not of the menu, which is not there yet when the key is pressed.
  const isByKeys = useRef(anchor.matches(':focus-visible'))
  const enter = ({ target, currentTarget }: FocusEvent) => {
    if (target !== currentTarget || !isByKeys.current) return
    isByKeys.current = false
    currentTarget.querySelector<HTMLElement>('[role^="menuitem"]:not([data-disabled])')?.focus()
  }
  return (
    <DropdownMenu.Root open onOpenChange={(open) => !open && onClose()}>
      <DropdownMenu.Trigger asChild>
        {/* Stands where the button is, for the menu to hang from. */}
        <span aria-hidden="true" className="pointer-events-none fixed" style={{ left, top, width, height }} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          sideOffset={2}
          collisionPadding={8}
          aria-label={label}
          aria-labelledby={undefined}
          className={`${MENU} thin-scroll max-h-(--radix-dropdown-menu-content-available-height) overflow-y-auto`}
          onFocus={enter}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            // What was picked may have put the focus somewhere already: a field, a sheet.
            const hasFocus = document.activeElement !== null && document.activeElement !== document.body
            if (!hasFocus && anchor.isConnected) anchor.focus()
          }}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
