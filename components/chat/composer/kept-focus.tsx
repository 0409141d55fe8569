import type { RefObject } from 'react'
import { useKeptFocus } from '@/components/ui/use-kept-focus'

type KeptFocusProps = { root: RefObject<HTMLElement | null>; field: RefObject<HTMLElement | null> }

/** Where what has the focus in the composer goes away, its field has it. No part of what a page begins with. */
export function KeptFocus({ root, field }: KeptFocusProps) {
  useKeptFocus(root, () => () => field.current)
  return null
}
