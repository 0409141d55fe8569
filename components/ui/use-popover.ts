import { useRef, useState } from 'react'

/**
 * A button and what opens from it, which is fetched when it is first opened, or about to be.
 *
 * @param load fetches it; called more than once.
 */
export function usePopover(load: () => Promise<unknown>) {
  const [state, setState] = useState<'unopened' | 'open' | 'closed'>('unopened')
  const anchor = useRef<HTMLButtonElement>(null)
  const isOpen = state === 'open'
  const toggle = () => setState(isOpen ? 'closed' : 'open')
  return {
    /** For the button. */
    trigger: {
      ref: anchor,
      'aria-haspopup': 'dialog',
      'aria-expanded': isOpen,
      onClick: toggle,
      onPointerEnter: () => void load(),
      onFocus: () => void load(),
    },
    /** For what opens; missing until it is first opened. */
    popover: state === 'unopened' ? undefined : { isOpen, onClose: () => setState('closed'), anchor },
    toggle,
  } as const
}
