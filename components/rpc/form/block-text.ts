import { BLOCK_TAGS, isRecord } from '@/components/rpc/methods/blocks'
import type { Type } from '@/components/rpc/methods/types'

export type BlockType = Extract<Type, { kind: 'block' | 'blockId' }>

/** A block as its field shows it: a tag, a number, a hash, or nothing. */
export type BlockText = { mode: 'tag' | 'number' | 'hash'; text: string } | { mode: 'none' }

/** The names that objects have for the number and the hash. */
const KEYS = {
  block: { number: 'blockNumber', hash: 'blockHash' },
  blockId: { number: 'block_number', hash: 'block_hash' },
} as const
const HASH = /^0x[0-9a-f]{64}$/i
const CANONICAL = /^0x(0|[1-9a-f][0-9a-f]{0,15})$/

export const tagsOf = (type: BlockType): readonly string[] => (type.kind === 'block' ? BLOCK_TAGS : type.tags)

export const takesHash = (type: BlockType): boolean => type.kind === 'blockId' || type.takesHash

/** Nothing where the field cannot show the value without loss. */
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

/** The block that somebody wrote, as the node wants it; other fields of what was there before stay. */
export function blockOf(type: BlockType, block: BlockText, before: unknown): unknown {
  if (block.mode === 'none') return undefined
  if (block.mode === 'tag') return block.text
  const keys = KEYS[type.kind]
  const isHash = block.mode === 'hash'
  const key = isHash ? keys.hash : keys.number
  const text = block.text.trim()
  const written = isHash ? text : numberOf(type, text)
  const isObject = isRecord(before) && Object.hasOwn(before, key)
  if (isObject) return { ...before, [key]: written }
  if (isHash && typeof before === 'string' && HASH.test(before) && type.kind === 'block') return written
  return isHash || type.kind === 'blockId' ? { [key]: written } : written
}

/** Starknet's are numbers of JSON, the EVM's are hexadecimal text. */
function numberOf(type: BlockType, text: string): string | number {
  const plain = text.replace(/(?<=\d)[ _,’'](?=\d)/g, '')
  if (type.kind === 'blockId') {
    const isNumber = /^(\d{1,15}|0x[0-9a-f]{1,12})$/i.test(plain)
    return isNumber ? Number(plain) : text
  }
  return /^\d{1,19}$/.test(plain) && BigInt(plain) < 2n ** 64n ? `0x${BigInt(plain).toString(16)}` : text
}

const decimalOf = (value: string): string => (CANONICAL.test(value) ? BigInt(value).toString() : value)
