import { readText, type TextType } from '@/components/rpc/form/text'
import type { Type } from '@/components/rpc/methods/types'

const KINDS: readonly Type['kind'][] = ['address', 'hash', 'data', 'quantity', 'number', 'felt']
const MAX_PASTED_CHARS = 1_000_000
const MAX_VALUES = 10_000

/** Several values in one pasted text, with commas, spaces, lines, quotes or brackets around them; nothing when it is one. */
export function splitPasted(type: Type, text: string): unknown[] | undefined {
  if (!KINDS.includes(type.kind) || text.length > MAX_PASTED_CHARS) return undefined
  const parts = text.split(/[\s,;[\]"'`]+/).filter((part) => part !== '')
  if (parts.length < 2 || parts.length > MAX_VALUES || !parts.every((part) => /^(0x[0-9a-f]*|\d[\d.]*)$/i.test(part))) {
    return undefined
  }
  return parts.map((part) => readText(type as TextType, part))
}
