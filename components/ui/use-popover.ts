import { useRef, useState } from 'react'
import type { Part } from '@/components/ui/part'

/** A button and what opens from it, which is fetched when it is first opened, or about to be. */
export function usePopover<T>(part: Part<T>) {
  const [state, setState] = useState<'unopened' | 'open' | 'closed'>('unopened')
  const anchor = useRef<HTMLButtonElement>(null)
  const isOpen = state === 'open'
  const module = part.use(state !== 'unopened')
  const toggle = () => setState(isOpen ? 'closed' : 'open')
  // What cannot be fetched is told once it is opened.
  const prepare = () => void part.load().catch(() => undefined)
  return {
    /** For the button. */
    trigger: {
      ref: anchor,
      'aria-haspopup': 'dialog',
      'aria-expanded': isOpen,
      onClick: toggle,
      onPointerEnter: prepare,
      onFocus: prepare,
    },
    /** The module of what opens and what that is given; missing until it is first opened. */
    popover:
      module && state !== 'unopened'
        ? { part: module, props: { isOpen, onClose: () => setState('closed'), anchor } }
        : undefined,
    toggle,
  } as const
}
