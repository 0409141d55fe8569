import { useState } from 'react'
import { printJson } from '@/components/rpc/form/json-text'

/**
 * What was typed stays as it was typed, while the value that was read from it is the one that is there: `1.` is not made
 * `1` under the fingers. Any other value is shown by `show`.
 */
export function useTyped(value: unknown, shown: string): [text: string, keep: (text: string, value: unknown) => void] {
  const [typed, setTyped] = useState<{ text: string; value: unknown }>()
  const isCurrent = typed !== undefined && isSame(typed.value, value)
  return [isCurrent ? typed.text : shown, (text, next) => setTyped({ text, value: next })]
}

/** What was taken away and what is null in its place are the same to the one who types. */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one ?? undefined, other ?? undefined)) return true
  if (typeof one !== 'object' || typeof other !== 'object') return false
  const printed = printJson(one, 0)
  return printed !== undefined && printed === printJson(other, 0)
}
