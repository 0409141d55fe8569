import { formatUnits } from 'viem/utils'
import { feltOf } from '@/components/rpc/form/felt-text'
import type { Type } from '@/components/rpc/methods/types'

/** Types that are written into one field of text. */
export type TextType = Extract<Type, { kind: 'address' | 'hash' | 'data' | 'quantity' | 'number' | 'text' | 'felt' }>

/** Coins by how many digits they have behind the point; the last is called as the network calls it. */
export type Unit = { name: string; decimals: number }

const WEI: Unit = { name: 'wei', decimals: 0 }
/** Longer texts are not read as numbers. */
const MAX_NUMBER_CHARS = 100
const CANONICAL = /^0x(0|[1-9a-f][0-9a-f]{0,63})$/

export const unitsOf = (currency: string): Unit[] => [
  WEI,
  { name: 'gwei', decimals: 9 },
  { name: currency, decimals: 18 },
]

/** A value as its field shows it; nothing where text cannot show it without loss. */
export function textOf(type: TextType, value: unknown, unit: Unit = WEI): string | undefined {
  if (value === undefined || value === null) return ''
  if (type.kind === 'quantity' && typeof value === 'string') return quantityText(value, unit)
  if (typeof value === 'string') return value
  const isNumber = typeof value === 'number' && ['quantity', 'number', 'felt'].includes(type.kind)
  return isNumber ? String(value) : undefined
}

/** A quantity in decimal digits; as it is where it is none. */
function quantityText(value: string, unit: Unit): string {
  return CANONICAL.test(value) ? formatUnits(BigInt(value), unit.decimals) : value
}

/** What somebody wrote, as the node wants it. What cannot be read stays as it was written, for the check to speak of. */
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

/** The address in what was pasted: a link of an explorer, `eip155:1:0x…`, or the address itself. */
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

/** Decimal digits, also in groups, with a point where the unit has digits behind it. */
function unitsIn(text: string, { decimals }: Unit): bigint | undefined {
  if (text.length > MAX_NUMBER_CHARS) return undefined
  const plain = text.replace(/(?<=\d)[ _’'](?=\d)/g, '').replace(/(?<=\d),(?=\d{3}(\D|$))/g, '')
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

/** The unit in which a value is shortest to read; `usual` while it is nothing. */
export function unitFor(value: unknown, units: readonly Unit[], usual: Unit): Unit {
  if (typeof value !== 'string' || !CANONICAL.test(value) || value === '0x0') return usual
  const amount = BigInt(value)
  const fitting = units.findLast(({ decimals }) => {
    const one = 10n ** BigInt(decimals)
    return amount * 1_000n >= one && (amount * 10_000n) % one === 0n
  })
  return fitting ?? WEI
}
