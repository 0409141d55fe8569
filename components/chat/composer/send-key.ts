import type { KeyboardEvent } from 'react'

type Key = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey' | 'keyCode'> & {
  nativeEvent: Pick<globalThis.KeyboardEvent, 'isComposing'>
}

/** While an input method composes, its keys pick a word; Safari says so by the key code only. */
export const isComposing = (event: Key): boolean => event.nativeEvent.isComposing || event.keyCode === 229

/** Whether a key asks for the last question, to edit it. With Alt it goes from turn to turn. */
export function isEditKey(event: Key): boolean {
  const isModified = event.shiftKey || event.ctrlKey || event.metaKey || event.altKey
  return event.key === 'ArrowUp' && !isModified && !isComposing(event)
}

/** Whether a key sends what is written. With a command key Enter always does. */
export function isSendKey(event: Key, enterSends: boolean): boolean {
  if (event.key !== 'Enter' || event.shiftKey || event.altKey || isComposing(event)) return false
  return enterSends || event.ctrlKey || event.metaKey
}
