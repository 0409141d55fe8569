import { formatUnits, keccak256, stringToBytes } from 'viem/utils'
import { BLOCK_TAGS, FELT_PRIME } from '@/components/rpc/methods/check-value'
import { type Type, variantOf } from '@/components/rpc/methods/types'
import { isRecord } from '@/lib/browser/api'
import { toDecimalPoint } from '@/lib/browser/format/numbers'

// Whether the control of a type shows a value without loss; entries are checked one by one.
export function canShow(type: Type, value: unknown): boolean {
  if (value === undefined || value === null) return type.kind !== 'any' && type.kind !== 'null'
  switch (type.kind) {
    case 'object':
    case 'map':
      return isRecord(value)
    case 'list':
    case 'tuple':
      return Array.isArray(value)
    case 'union':
      return variantOf(type.variants, value) !== undefined
    case 'block':
    case 'blockId':
      return blockText(type, value) !== undefined
    case 'boolean':
      return typeof value === 'boolean'
    case 'choice':
      return type.options.some((option) => option.value === value)
    case 'any':
    case 'null':
      return false
    default:
      return paramText(type, value) !== undefined
  }
}

export type TextType = Extract<Type, { kind: 'address' | 'hash' | 'data' | 'quantity' | 'number' | 'text' | 'felt' }>

export type Unit = { name: string; decimals: number }

const WEI: Unit = { name: 'wei', decimals: 0 }
const MAX_NUMBER_CHARS = 100
const CANONICAL = /^0x(0|[1-9a-f][0-9a-f]{0,63})$/

export const unitsOf = (currency: string): Unit[] => [
  WEI,
  { name: 'gwei', decimals: 9 },
  { name: currency, decimals: 18 },
]

export function paramText(type: TextType, value: unknown, unit: Unit = WEI): string | undefined {
  if (value === undefined || value === null) return ''
  if (type.kind === 'quantity' && typeof value === 'string') return quantityText(value, unit)
  if (typeof value === 'string') return value
  const isNumber = typeof value === 'number' && ['quantity', 'number', 'felt'].includes(type.kind)
  return isNumber ? String(value) : undefined
}

const quantityText = (value: string, unit: Unit): string =>
  CANONICAL.test(value) ? formatUnits(BigInt(value), unit.decimals) : value

/** Reads typed text into the value a node wants; what cannot be read stays as written, for the check to explain. */
export function readText(type: TextType, text: string, unit: Unit = WEI): unknown {
  if (type.kind === 'text') return text
  const bare = text.trim()
  if (bare === '') return undefined
  switch (type.kind) {
    case 'address':
      return addressIn(bare)
    case 'data':
      return bare.replace(/\s+/g, '')
    case 'quantity':
      return quantityOf(bare, unit)
    case 'number':
      return numberOf(bare)
    case 'felt':
      return feltOf(bare, type.is)
    default:
      return bare
  }
}

// In a pasted explorer link, or `eip155:1:0x…`.
function addressIn(text: string): string {
  const found = text.match(/0x[0-9a-f]{40}(?![0-9a-z])/gi) ?? []
  const isOne = new Set(found.map((each) => each.toLowerCase())).size === 1
  return isOne && found[0] !== undefined ? found[0] : text
}

function quantityOf(text: string, unit: Unit): string {
  if (/^0x/i.test(text)) return text
  const units = unitsIn(text, unit)
  return units === undefined ? text : `0x${units.toString(16)}`
}

function unitsIn(text: string, { decimals }: Unit): bigint | undefined {
  if (text.length > MAX_NUMBER_CHARS) return undefined
  const plain = toDecimalPoint(text.replace(/(?<=\d)[ _’'](?=\d)/g, '')).replace(/(?<=\d),(?=\d{3}(\D|$))/g, '')
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(plain) ?? []
  if (whole === undefined || fraction.replace(/0+$/, '').length > decimals) return undefined
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
}

function numberOf(text: string): unknown {
  if (text.length > MAX_NUMBER_CHARS || !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return text
  const number = Number(text)
  const isExact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
  return isExact ? number : text
}

export function unitFor(value: unknown, units: readonly Unit[], usual: Unit): Unit {
  if (typeof value !== 'string' || !CANONICAL.test(value) || value === '0x0') return usual
  const amount = BigInt(value)
  const fitting = units.findLast(({ decimals }) => {
    const one = 10n ** BigInt(decimals)
    return amount * 1_000n >= one && (amount * 10_000n) % one === 0n
  })
  return fitting ?? WEI
}

const KINDS: readonly Type['kind'][] = ['address', 'hash', 'data', 'quantity', 'number', 'felt']
const MAX_PASTED_CHARS = 1_000_000
const MAX_VALUES = 10_000

/** Splits a pasted text into several values; undefined when it is one. */
export function splitPasted(type: Type, text: string): unknown[] | undefined {
  if (!KINDS.includes(type.kind) || text.length > MAX_PASTED_CHARS) return undefined
  const parts = text.split(/[\s,;[\]"'`]+/).filter((part) => part !== '')
  if (parts.length < 2 || parts.length > MAX_VALUES || !parts.every((part) => /^(0x[0-9a-f]*|\d[\d.]*)$/i.test(part))) {
    return undefined
  }
  return parts.map((part) => readText(type as TextType, part))
}

type FeltUse = 'address' | 'hash' | 'selector' | undefined

// Cairo short strings are up to 31 characters of ASCII.
const MAX_SHORT_CHARS = 31
const MAX_DECIMAL_DIGITS = 78
// Selectors are the lower 250 bits of a hash.
const SELECTOR_MASK = 2n ** 250n - 1n

export function feltOf(text: string, is: FeltUse): string {
  if (/^0x/i.test(text)) return text
  if (/^(['"]).*\1$/s.test(text) && text.length > 1) return feltOfShortText(text.slice(1, -1)) ?? text
  if (/^\d+$/.test(text) && text.length <= MAX_DECIMAL_DIGITS) {
    const value = BigInt(text)
    return value < FELT_PRIME ? `0x${value.toString(16)}` : text
  }
  return is === 'selector' && /^[A-Za-z_]\w*$/.test(text) ? selectorOf(text) : text
}

export function feltOfShortText(text: string): string | undefined {
  if (text === '') return '0x0'
  if (text.length > MAX_SHORT_CHARS || !/^[\x20-\x7e]+$/.test(text)) return undefined
  const digits = [...text].map((char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  return `0x${digits.replace(/^0+/, '')}`
}

export function shortTextOf(felt: unknown): string | undefined {
  if (typeof felt !== 'string' || !/^0x[0-9a-f]{4,62}$/i.test(felt)) return undefined
  const digits = felt.slice(2).replace(/^0+/, '')
  if (digits.length < 4 || digits.length % 2 === 1) return undefined
  const text = digits.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)))
  return /^[\x20-\x7e]+$/.test(text) ? text : undefined
}

export const selectorOf = (name: string): string =>
  `0x${(BigInt(keccak256(stringToBytes(name))) & SELECTOR_MASK).toString(16)}`

export type BlockType = Extract<Type, { kind: 'block' | 'blockId' }>

export type BlockText = { mode: 'tag' | 'number' | 'hash'; text: string } | { mode: 'none' }

const KEYS = {
  block: { number: 'blockNumber', hash: 'blockHash' },
  blockId: { number: 'block_number', hash: 'block_hash' },
} as const
const HASH = /^0x[0-9a-f]{64}$/i
const CANONICAL_BLOCK = /^0x(0|[1-9a-f][0-9a-f]{0,15})$/

export const tagsOf = (type: BlockType): readonly string[] => (type.kind === 'block' ? BLOCK_TAGS : type.tags)

export const takesHash = (type: BlockType): boolean => type.kind === 'blockId' || type.takesHash

export function blockText(type: BlockType, value: unknown): BlockText | undefined {
  if (value === undefined || value === null) return { mode: 'none' }
  if (isRecord(value)) return selectorText(type, value)
  if (typeof value === 'number') return { mode: 'number', text: String(value) }
  if (typeof value !== 'string') return undefined
  if (tagsOf(type).includes(value)) return { mode: 'tag', text: value }
  if (HASH.test(value) && takesHash(type)) return { mode: 'hash', text: value }
  return { mode: 'number', text: decimalOf(value) }
}

function selectorText(type: BlockType, value: Record<string, unknown>): BlockText | undefined {
  const keys = KEYS[type.kind]
  const [hash, number] = [value[keys.hash], value[keys.number]]
  if (number === undefined && typeof hash === 'string') return { mode: 'hash', text: hash }
  if (hash !== undefined) return undefined
  if (typeof number === 'number') return { mode: 'number', text: String(number) }
  return typeof number === 'string' ? { mode: 'number', text: decimalOf(number) } : undefined
}

// Writes a block as the node wants it; other fields of the value before stay.
export function blockOf(type: BlockType, block: BlockText, before: unknown): unknown {
  if (block.mode === 'none') return undefined
  if (block.mode === 'tag') return block.text
  const keys = KEYS[type.kind]
  const isHash = block.mode === 'hash'
  const key = isHash ? keys.hash : keys.number
  const text = block.text.trim()
  const written = isHash ? text : blockNumberOf(type, text)
  const isObject = isRecord(before) && Object.hasOwn(before, key)
  if (isObject) return { ...before, [key]: written }
  if (isHash && typeof before === 'string' && HASH.test(before) && type.kind === 'block') return written
  return isHash || type.kind === 'blockId' ? { [key]: written } : written
}

function blockNumberOf(type: BlockType, text: string): string | number {
  const plain = text.replace(/(?<=\d)[ _,’'](?=\d)/g, '')
  if (type.kind === 'blockId') {
    const isNumber = /^(\d{1,15}|0x[0-9a-f]{1,12})$/i.test(plain)
    return isNumber ? Number(plain) : text
  }
  return /^\d{1,19}$/.test(plain) && BigInt(plain) < 2n ** 64n ? `0x${BigInt(plain).toString(16)}` : text
}

const decimalOf = (value: string): string => (CANONICAL_BLOCK.test(value) ? BigInt(value).toString() : value)
