import { keccak256, stringToBytes } from 'viem/utils'
import { FELT_PRIME } from '@/components/rpc/methods/hex'

type FeltUse = 'address' | 'hash' | 'selector' | undefined

/** A short string of Cairo has at most this many characters, all of ASCII. */
const MAX_SHORT_CHARS = 31
const MAX_DECIMAL_DIGITS = 78
/** Selectors are the lower 250 bits of a hash. */
const SELECTOR_MASK = 2n ** 250n - 1n

/** A felt as it was written: hexadecimal, decimal, a short text in quotes, or the name of a function. */
export function feltOf(text: string, is: FeltUse): string {
  if (/^0x/i.test(text)) return text
  if (/^(['"]).*\1$/s.test(text) && text.length > 1) return feltOfShortText(text.slice(1, -1)) ?? text
  if (/^\d+$/.test(text) && text.length <= MAX_DECIMAL_DIGITS) {
    const value = BigInt(text)
    return value < FELT_PRIME ? `0x${value.toString(16)}` : text
  }
  return is === 'selector' && /^[A-Za-z_]\w*$/.test(text) ? selectorOf(text) : text
}

/** Up to 31 characters of ASCII as one felt. */
export function feltOfShortText(text: string): string | undefined {
  if (text === '') return '0x0'
  if (text.length > MAX_SHORT_CHARS || !/^[\x20-\x7e]+$/.test(text)) return undefined
  const digits = [...text].map((char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  return `0x${digits.replace(/^0+/, '')}`
}

/** The text that a felt holds, where it looks like one: two or more printable characters. */
export function shortTextOf(felt: unknown): string | undefined {
  if (typeof felt !== 'string' || !/^0x[0-9a-f]{4,62}$/i.test(felt)) return undefined
  const digits = felt.slice(2).replace(/^0+/, '')
  if (digits.length < 4 || digits.length % 2 === 1) return undefined
  const text = digits.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)))
  return /^[\x20-\x7e]+$/.test(text) ? text : undefined
}

/** The selector of a function, an event or a variable. */
export const selectorOf = (name: string): string =>
  `0x${(BigInt(keccak256(stringToBytes(name))) & SELECTOR_MASK).toString(16)}`
