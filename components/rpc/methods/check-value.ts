import { getAddress } from 'viem/utils'
import type { ParamProblem, Type } from '@/components/rpc/methods/types'
import { isRecord } from '@/lib/browser/api'
import { t } from '@/lib/i18n/t'

type Leaf = Exclude<Type, { kind: 'object' | 'map' | 'list' | 'tuple' | 'union' }>

export function leafFault(type: Leaf, value: unknown): Fault | undefined {
  switch (type.kind) {
    case 'address':
      return addressFault(value)
    case 'hash':
      return hashFault(value)
    case 'data':
      return dataFault(value, type)
    case 'quantity':
      return quantityFault(value)
    case 'felt':
      return feltFault(value)
    case 'block':
      return blockFault(value, type.takesHash)
    case 'blockId':
      return blockIdFault(value, type.tags)
    case 'number':
      return numberFault(type, value)
    case 'boolean':
      return booleanFault(value)
    case 'text':
      return typeof value === 'string' ? undefined : error(t('Expected text, got {value}.', { value: shown(value) }))
    case 'choice':
      return choiceFault(type, value)
    case 'null':
      return value === null ? undefined : error(t('Expected null.'))
    case 'any':
      return undefined
  }
}

function numberFault({ isWhole, min, max }: Type & { kind: 'number' }, value: unknown): Fault | undefined {
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) {
    return error(t('Expected a number, not text.'), writeInstead(Number(value)))
  }
  if (typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value)) {
    return error(t('Expected a decimal number, not hex.'), writeInstead(Number(value)))
  }
  if (typeof value !== 'number') return error(t('Expected a number, got {value}.', { value: shown(value) }))
  if (isWhole && !Number.isInteger(value)) return error(t('Enter a whole number.'))
  if (isWhole && !Number.isSafeInteger(value)) return error(t('This number is too large to be exact.'))
  if (min !== undefined && value < min) return error(t('Enter at least {amount}.', { amount: min }))
  if (max !== undefined && value > max) return error(t('Enter at most {amount}.', { amount: max }))
  return undefined
}

function booleanFault(value: unknown): Fault | undefined {
  if (typeof value === 'boolean') return undefined
  const fix = value === 'true' || value === 'false' ? writeInstead(value === 'true') : undefined
  return error(t('Expected true or false, got {value}.', { value: shown(value) }), fix)
}

function choiceFault({ options }: Type & { kind: 'choice' }, value: unknown): Fault | undefined {
  if (options.some((option) => option.value === value)) return undefined
  const choices = options.map((option) => String(option.value)).join(', ')
  const typed = typeof value === 'string' ? value.trim().toLowerCase() : undefined
  const match = options.find((option) => String(option.value).toLowerCase() === typed)
  return error(notAmong(choices, value), match && writeInstead(match.value))
}

export const BLOCK_TAGS = ['latest', 'pending', 'safe', 'finalized', 'earliest'] as const

const HASH = /^0x[0-9a-f]{64}$/i
const HASH_CHARS = 66

// Hashes by EIP-1898: `{blockHash}`, or the hash alone, which most nodes take as well.
function blockFault(value: unknown, takesHash: boolean): Fault | undefined {
  if (isRecord(value))
    return takesHash ? selectorFault(value) : error(t('Expected a block number or tag, not an object.'))
  if (typeof value !== 'string') return blockNumberFault(value)
  if ((BLOCK_TAGS as readonly string[]).includes(value)) return undefined
  if (value.length === HASH_CHARS && HASH.test(value)) {
    return takesHash ? undefined : error(t('Expected a block number or tag, not a hash.'))
  }
  if (/^[a-z]+$/i.test(value) && !/^[0-9a-f]+$/i.test(value)) return tagFault(value, BLOCK_TAGS)
  return quantityFault(value)
}

function blockNumberFault(value: unknown): Fault {
  if (typeof value === 'number') return numberAsQuantity(value)
  return error(t('Expected a hex block number or a tag such as latest, got {value}.', { value: shown(value) }))
}

function selectorFault(value: Record<string, unknown>): Fault | undefined {
  const hasHash = Object.hasOwn(value, 'blockHash')
  if (hasHash && Object.hasOwn(value, 'blockNumber')) return error(t('Set blockHash or blockNumber, not both.'))
  if (hasHash) return hashFault(value.blockHash)
  if (Object.hasOwn(value, 'blockNumber')) return quantityFault(value.blockNumber)
  return error(t('Set blockHash or blockNumber.'))
}

function blockIdFault(value: unknown, tags: readonly string[]): Fault | undefined {
  if (typeof value === 'string') {
    if (tags.includes(value)) return undefined
    if (value === 'pending' && tags.includes('pre_confirmed')) {
      return warning(t('Since spec version 0.9, this tag is called pre_confirmed.'), writeInstead('pre_confirmed'))
    }
    if (feltFault(value) === undefined) {
      return error(t('Pass a block hash as an object.'), writeInstead({ block_hash: value }, '{"block_hash": …}'))
    }
    return tagFault(value, tags)
  }
  if (isBlockNumber(value)) {
    return error(t('Pass a block number as an object.'), writeInstead({ block_number: value }, '{"block_number": …}'))
  }
  if (!isRecord(value)) return error(t('Expected a block tag, number or hash, got {value}.', { value: shown(value) }))
  const hasHash = Object.hasOwn(value, 'block_hash')
  const hasNumber = Object.hasOwn(value, 'block_number')
  if (hasHash === hasNumber) return error(t('Set either block_hash or block_number.'))
  if (hasHash) return feltFault(value.block_hash)
  return isBlockNumber(value.block_number) ? undefined : error(t('block_number must be a whole number.'))
}

const isBlockNumber = (value: unknown): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

function tagFault(value: string, tags: readonly string[]): Fault {
  const match = tags.find((tag) => tag === value.trim().toLowerCase())
  const message = t('Unknown block tag {value}. Enter a number or one of: {tags}.', {
    value: shown(value),
    tags: tags.join(', '),
  })
  return error(message, match === undefined ? undefined : writeInstead(match))
}

export type Fault = Omit<ParamProblem, 'path'>

const ADDRESS_DIGITS = 40
const HASH_DIGITS = 64
const MAX_QUANTITY_DIGITS = 64
// 2^256 has 78 digits.
const MAX_DECIMAL_DIGITS = 78
const SHOWN_CHARS = 24
// The order of Starknet's field.
export const FELT_PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n

export const error = (message: string, fix?: Fault['fix']): Fault => ({ message, severity: 'error', fix })
export const warning = (message: string, fix?: Fault['fix']): Fault => ({ message, severity: 'warning', fix })

const writeInstead = (value: unknown, text = String(value)): Fault['fix'] => ({
  label: t('Use {name}', { name: text }),
  value,
})

export const notAmong = (choices: string, value: unknown): string =>
  t('Expected one of: {choices}. Got {value}.', { choices, value: shown(value) })

export function shown(value: unknown): string {
  if (Array.isArray(value)) return t('an array')
  if (isRecord(value)) return t('an object')
  if (typeof value !== 'string') return String(value)
  return t('“{text}”', { text: value.length > SHOWN_CHARS ? `${value.slice(0, SHOWN_CHARS)}…` : value })
}

function hexFault(value: unknown): Fault | undefined {
  if (typeof value !== 'string') return noHex(value)
  const bare = value.trim()
  if (bare === '') return error(t('Enter a value.'))
  if (bare !== value)
    return error(t('There are spaces before or after the value.'), { label: t('Remove spaces'), value: bare })
  if (/^0x[0-9a-f]*$/i.test(value) && value.startsWith('0x')) return undefined
  if (/^0X[0-9a-f]*$/i.test(value)) return prefixFault(`0x${value.slice(2)}`, t('0x must be lowercase.'))
  if (/^[0-9a-f]+$/i.test(value)) return prefixFault(`0x${value}`, t('The 0x prefix is missing.'))
  if (!value.startsWith('0x')) return noHex(value)
  const [digit] = /[^0-9a-f]/i.exec(value.slice(2)) ?? ['?']
  return error(t('{digit} is not a hex digit.', { digit: shown(digit) }))
}

const noHex = (value: unknown): Fault =>
  error(t('Expected a value that starts with 0x, got {value}.', { value: shown(value) }))

const prefixFault = (value: string, message: string): Fault => error(message, writeInstead(value, '0x'))

export function addressFault(value: unknown): Fault | undefined {
  if (typeof value === 'string' && /\.[a-z]{2,}$/i.test(value)) {
    return error(t('Nodes don’t resolve names. Enter the address.'))
  }
  const fault = hexFault(value)
  if (fault) return fault
  const digits = (value as string).slice(2)
  if (digits.length === HASH_DIGITS) return error(t('This looks like a hash (32 bytes). An address has 20 bytes.'))
  if (digits.length !== ADDRESS_DIGITS) {
    return error(t('An address has 40 hex digits. This one has {count}.', { count: digits.length }))
  }
  if (checksumOf(value as string) !== 'wrong') return undefined
  return warning(t('The address checksum doesn’t match. Check the digits, or use lowercase only.'), {
    label: t('Fix capitalisation'),
    value: getAddress(`0x${digits.toLowerCase()}`),
  })
}

/** Checks the letters of an address by EIP-55: `none` where they are of one case. */
export function checksumOf(address: string): 'right' | 'none' | 'wrong' {
  const digits = address.slice(2)
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return 'none'
  return getAddress(`0x${digits.toLowerCase()}`) === address ? 'right' : 'wrong'
}

function hashFault(value: unknown): Fault | undefined {
  const fault = hexFault(value)
  if (fault) return fault
  const count = (value as string).length - 2
  if (count === HASH_DIGITS) return undefined
  if (count === ADDRESS_DIGITS) return error(t('This looks like an address (20 bytes). A hash has 32 bytes.'))
  return error(t('A hash has 64 hex digits. This one has {count}.', { count }))
}

function dataFault(value: unknown, { bytes, maxBytes }: { bytes?: number; maxBytes?: number }): Fault | undefined {
  const fault = hexFault(value)
  if (fault) return fault
  const count = (value as string).length - 2
  if (maxBytes !== undefined) {
    if (count > 0 && count <= maxBytes * 2) return undefined
    return error(t('Enter 1 to {max} hex digits. This value has {count}.', { max: maxBytes * 2, count }))
  }
  if (bytes !== undefined && count !== bytes * 2) {
    return error(
      t('Expected {digits} hex digits ({bytes} bytes). This value has {count}.', { digits: bytes * 2, bytes, count }),
    )
  }
  return count % 2 === 0 ? undefined : error(t('Odd number of hex digits. Each byte needs two.'))
}

export function quantityFault(value: unknown): Fault | undefined {
  if (typeof value === 'number') return numberAsQuantity(value)
  if (typeof value === 'string' && /^\d+$/.test(value) && value.length <= MAX_DECIMAL_DIGITS) {
    return error(t('Numbers must be in hex.'), hexFix(BigInt(value)))
  }
  if (typeof value === 'string' && /^\d*[.,]\d+$/.test(value)) {
    return error(t('Enter a whole number. Amounts are in wei: one coin is 10^18 wei.'))
  }
  const fault = hexFault(value)
  if (fault) return fault
  const digits = (value as string).slice(2)
  if (digits === '') return error(t('Zero is 0x0.'), writeInstead('0x0'))
  if (digits.length > MAX_QUANTITY_DIGITS && digits.replace(/^0+/, '').length > MAX_QUANTITY_DIGITS) {
    return error(t('This number is larger than 256 bits.'))
  }
  if (digits.length > 1 && digits.startsWith('0')) {
    return error(t('Leading zeros aren’t allowed.'), hexFix(BigInt(value as string)))
  }
  return undefined
}

function numberAsQuantity(value: number): Fault {
  if (!Number.isInteger(value) || value < 0) return error(t('Enter a whole number, 0 or more.'))
  const fix = Number.isSafeInteger(value) ? hexFix(BigInt(value)) : undefined
  return error(t('Enter the number as hex text.'), fix)
}

function hexFix(value: bigint): Fault['fix'] {
  const text = `0x${value.toString(16)}`
  return text.length > SHOWN_CHARS ? { label: t('Use corrected value'), value: text } : writeInstead(text)
}

function feltFault(value: unknown): Fault | undefined {
  if (typeof value === 'number') return numberAsQuantity(value)
  if (typeof value === 'string' && /^\d+$/.test(value) && value.length <= MAX_DECIMAL_DIGITS) {
    return error(t('Numbers must be in hex.'), hexFix(BigInt(value)))
  }
  const fault = hexFault(value)
  if (fault) return fault
  const digits = (value as string).slice(2)
  if (digits === '') return error(t('Zero is 0x0.'), writeInstead('0x0'))
  if (digits.length > HASH_DIGITS || BigInt(value as string) >= FELT_PRIME) {
    return error(t('This number is too large for a felt. The maximum is 2^251 + 17·2^192.'))
  }
  return undefined
}
