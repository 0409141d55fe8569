import { type RefObject, useLayoutEffect } from 'react'

/** The share of the window that a long question may take before it scrolls in itself; `max-h` of the field says the same. */
const MAX_HEIGHT_SHARE = 0.4

/**
 * Grows the field with its text, in browsers without `field-sizing`. Where there is that, measuring would have the whole
 * page laid out with each key.
 */
export function useFit(field: RefObject<HTMLTextAreaElement | null>, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text decides the height
  useLayoutEffect(() => {
    const element = field.current
    if (!element || CSS.supports('field-sizing', 'content')) return
    element.style.height = 'auto'
    element.style.height = `${Math.min(element.scrollHeight, window.innerHeight * MAX_HEIGHT_SHARE)}px`
  }, [field, text])
}
