import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'

type Instead = () => HTMLElement | null | undefined

/**
 * Keeps keyboard focus when the focused element inside `root` is removed or disabled: it goes to the element that
 * replaces it instead of the page.
 * @param insteadOf is asked when something gets the focus; what it returns gets it when that is lost.
 */
export function useFocusFallback(
  root: RefObject<HTMLElement | null>,
  insteadOf: (focused: HTMLElement) => Instead | undefined,
): void {
  const held = useRef<{ element: HTMLElement; instead: Instead | undefined }>(undefined)
  const insteadOfFocused = useEffectEvent(insteadOf)
  useEffect(() => {
    const onFocusIn = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return
      const isInside = root.current?.contains(target)
      // A menu or a dialog gives the focus back when it closes, to what may be gone by then.
      if (!isInside && target.closest(OVERLAY)) return
      const isHeld = isInside && target.matches(':focus-visible')
      held.current = isHeld ? { element: target, instead: insteadOfFocused(target) } : undefined
    }
    document.addEventListener('focusin', onFocusIn)
    return () => document.removeEventListener('focusin', onFocusIn)
  }, [root])
  useLayoutEffect(() => {
    if (!held.current) return
    const { element, instead } = held.current
    const isThere = element.isConnected && !element.matches(':disabled')
    const isElsewhere = document.activeElement !== document.body && document.activeElement !== element
    if (isThere || isElsewhere) return
    held.current = undefined
    instead?.()?.focus({ preventScroll: true })
  })
}

const OVERLAY = '[role="dialog"], [role="menu"]'
