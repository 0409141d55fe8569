import { getAddress } from 'viem/utils'
import type { ParamProblem, Type } from '@/components/rpc/methods/types'
import { isRecord } from '@/lib/browser/api'

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
      return typeof value === 'string' ? undefined : error(`Text is expected, not ${shown(value)}.`)
    case 'choice':
      return choiceFault(type, value)
    case 'null':
      return value === null ? undefined : error('null is expected.')
    case 'any':
      return undefined
  }
}

function numberFault({ isWhole, min, max }: Type & { kind: 'number' }, value: unknown): Fault | undefined {
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) {
    return error('A plain number is expected, not text.', writeInstead(Number(value)))
  }
  if (typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value)) {
    return error('A plain number is expected, not hexadecimal.', writeInstead(Number(value)))
  }
  if (typeof value !== 'number') return error(`A number is expected, not ${shown(value)}.`)
  if (isWhole && !Number.isInteger(value)) return error('A whole number is expected.')
  if (isWhole && !Number.isSafeInteger(value)) return error('This number is too large to be exact.')
  if (min !== undefined && value < min) return error(`At least ${min}.`)
  if (max !== undefined && value > max) return error(`At most ${max}.`)
  return undefined
}

function booleanFault(value: unknown): Fault | undefined {
  if (typeof value === 'boolean') return undefined
  const fix = value === 'true' || value === 'false' ? writeInstead(value === 'true') : undefined
  return error(`true or false is expected, not ${shown(value)}.`, fix)
}

function choiceFault({ options }: Type & { kind: 'choice' }, value: unknown): Fault | undefined {
  if (options.some((option) => option.value === value)) return undefined
  const choices = options.map((option) => String(option.value)).join(', ')
  const typed = typeof value === 'string' ? value.trim().toLowerCase() : undefined
  const match = options.find((option) => String(option.value).toLowerCase() === typed)
  return error(`${shown(value)} is not one of ${choices}.`, match && writeInstead(match.value))
}

export const BLOCK_TAGS = ['latest', 'pending', 'safe', 'finalized', 'earliest'] as const

const HASH = /^0x[0-9a-f]{64}$/i
const HASH_CHARS = 66

// Hashes by EIP-1898: `{blockHash}`, or the hash alone, which most nodes take as well.
function blockFault(value: unknown, takesHash: boolean): Fault | undefined {
  if (isRecord(value)) return takesHash ? selectorFault(value) : error('Here a block is a number or a tag.')
  if (typeof value !== 'string') return blockNumberFault(value)
  if ((BLOCK_TAGS as readonly string[]).includes(value)) return undefined
  if (value.length === HASH_CHARS && HASH.test(value)) {
    return takesHash ? undefined : error('This is a hash, and here a block is a number or a tag.')
  }
  if (/^[a-z]+$/i.test(value) && !/^[0-9a-f]+$/i.test(value)) return tagFault(value, BLOCK_TAGS)
  return quantityFault(value)
}

function blockNumberFault(value: unknown): Fault {
  if (typeof value === 'number') return quantityFault(value) ?? error('A block is text.')
  return error(`A block is a number in hexadecimal or a tag such as latest, not ${shown(value)}.`)
}

function selectorFault(value: Record<string, unknown>): Fault | undefined {
  const hasHash = Object.hasOwn(value, 'blockHash')
  if (hasHash && Object.hasOwn(value, 'blockNumber')) return error('Give blockHash or blockNumber, not both.')
  if (hasHash) return hashFault(value.blockHash)
  if (Object.hasOwn(value, 'blockNumber')) return quantityFault(value.blockNumber)
  return error('Give blockHash or blockNumber.')
}

function blockIdFault(value: unknown, tags: readonly string[]): Fault | undefined {
  if (typeof value === 'string') {
    if (tags.includes(value)) return undefined
    if (value === 'pending' && tags.includes('pre_confirmed')) {
      return warning('Since version 0.9 of the interface it is called pre_confirmed.', writeInstead('pre_confirmed'))
    }
    if (feltFault(value) === undefined) {
      return error('A hash goes into an object.', writeInstead({ block_hash: value }, '{"block_hash": …}'))
    }
    return tagFault(value, tags)
  }
  if (isBlockNumber(value)) {
    return error('A number goes into an object.', writeInstead({ block_number: value }, '{"block_number": …}'))
  }
  if (!isRecord(value)) return error(`A block is a tag, a number or a hash, not ${shown(value)}.`)
  const hasHash = Object.hasOwn(value, 'block_hash')
  const hasNumber = Object.hasOwn(value, 'block_number')
  if (hasHash === hasNumber) return error('Give block_hash or block_number: one of the two.')
  if (hasHash) return feltFault(value.block_hash)
  return isBlockNumber(value.block_number) ? undefined : error('block_number is a plain whole number.')
}

const isBlockNumber = (value: unknown): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

function tagFault(value: string, tags: readonly string[]): Fault {
  const match = tags.find((tag) => tag === value.trim().toLowerCase())
  const message = `${shown(value)} is no block: write a number, or ${tags.join(', ')}.`
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

const writeInstead = (value: unknown, text = String(value)): Fault['fix'] => ({ label: `Write ${text}`, value })

export function shown(value: unknown): string {
  if (typeof value !== 'string') return Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`
  return `“${value.length > SHOWN_CHARS ? `${value.slice(0, SHOWN_CHARS)}…` : value}”`
}

function hexFault(value: unknown, what: string): Fault | undefined {
  if (typeof value !== 'string') return error(`${what} is text that starts with 0x, not ${shown(value)}.`)
  const bare = value.trim()
  if (bare === '') return error('Nothing is written here yet.')
  if (bare !== value) return error('There are spaces around it.', { label: 'Take the spaces away', value: bare })
  if (/^0x[0-9a-f]*$/i.test(value) && value.startsWith('0x')) return undefined
  if (/^0X[0-9a-f]*$/i.test(value)) return prefixFault(`0x${value.slice(2)}`, 'The x of 0x is small.')
  if (/^[0-9a-f]+$/i.test(value)) return prefixFault(`0x${value}`, '0x is missing in front.')
  if (!value.startsWith('0x')) return error(`${what} starts with 0x, and ${shown(value)} does not.`)
  const [digit] = /[^0-9a-f]/i.exec(value.slice(2)) ?? ['?']
  return error(`${shown(digit)} is no hexadecimal digit.`)
}

const prefixFault = (value: string, message: string): Fault => error(message, writeInstead(value, '0x'))

export function addressFault(value: unknown): Fault | undefined {
  if (typeof value === 'string' && /\.[a-z]{2,}$/i.test(value)) {
    return error('Nodes know no names: write the address that the name stands for.')
  }
  const fault = hexFault(value, 'An address')
  if (fault) return fault
  const digits = (value as string).slice(2)
  if (digits.length === HASH_DIGITS) return error('This is as long as a hash, 32 bytes. An address has 20.')
  if (digits.length !== ADDRESS_DIGITS) {
    return error(`An address has ${ADDRESS_DIGITS} hexadecimal digits, this has ${digits.length}.`)
  }
  if (checksumOf(value as string) !== 'wrong') return undefined
  return warning('Its capital letters do not fit its checksum: a character may be wrong.', {
    label: 'Correct the letters',
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
  const fault = hexFault(value, 'A hash')
  if (fault) return fault
  const count = (value as string).length - 2
  if (count === HASH_DIGITS) return undefined
  if (count === ADDRESS_DIGITS) return error('This is as long as an address, 20 bytes. A hash has 32.')
  return error(`A hash has ${HASH_DIGITS} hexadecimal digits, this has ${count}.`)
}

function dataFault(value: unknown, { bytes, maxBytes }: { bytes?: number; maxBytes?: number }): Fault | undefined {
  const fault = hexFault(value, 'Data')
  if (fault) return fault
  const count = (value as string).length - 2
  if (maxBytes !== undefined) {
    if (count > 0 && count <= maxBytes * 2) return undefined
    return error(`Up to ${maxBytes * 2} hexadecimal digits, and at least one; this has ${count}.`)
  }
  if (bytes !== undefined && count !== bytes * 2) {
    return error(`${bytes} bytes are ${bytes * 2} hexadecimal digits, this has ${count}.`)
  }
  return count % 2 === 0 ? undefined : error('A byte has two digits: one is missing or too many.')
}

export function quantityFault(value: unknown): Fault | undefined {
  if (typeof value === 'number') return numberAsQuantity(value)
  if (typeof value === 'string' && /^\d+$/.test(value) && value.length <= MAX_DECIMAL_DIGITS) {
    return error('Nodes take numbers in hexadecimal only.', hexFix(BigInt(value)))
  }
  if (typeof value === 'string' && /^\d*[.,]\d+$/.test(value)) {
    return error('A quantity is whole: amounts are in wei, of which a coin has 10^18.')
  }
  const fault = hexFault(value, 'A quantity')
  if (fault) return fault
  const digits = (value as string).slice(2)
  if (digits === '') return error('Zero is 0x0.', writeInstead('0x0'))
  if (digits.length > MAX_QUANTITY_DIGITS && digits.replace(/^0+/, '').length > MAX_QUANTITY_DIGITS) {
    return error('This is more than 256 bits hold.')
  }
  if (digits.length > 1 && digits.startsWith('0')) {
    return error('Nodes refuse quantities that begin with zeros.', hexFix(BigInt(value as string)))
  }
  return undefined
}

function numberAsQuantity(value: number): Fault {
  if (!Number.isInteger(value) || value < 0) return error('A quantity is whole and not below zero.')
  const fix = Number.isSafeInteger(value) ? hexFix(BigInt(value)) : undefined
  return error('Nodes take numbers as hexadecimal text.', fix)
}

function hexFix(value: bigint): Fault['fix'] {
  const text = `0x${value.toString(16)}`
  return writeInstead(text, text.length > SHOWN_CHARS ? 'it so' : text)
}

function feltFault(value: unknown): Fault | undefined {
  if (typeof value === 'number') return numberAsQuantity(value)
  if (typeof value === 'string' && /^\d+$/.test(value) && value.length <= MAX_DECIMAL_DIGITS) {
    return error('Felts are hexadecimal.', hexFix(BigInt(value)))
  }
  const fault = hexFault(value, 'A felt')
  if (fault) return fault
  const digits = (value as string).slice(2)
  if (digits === '') return error('Zero is 0x0.', writeInstead('0x0'))
  if (digits.length > HASH_DIGITS || BigInt(value as string) >= FELT_PRIME) {
    return error('This is more than a felt holds: it is below 2^251 + 17·2^192 + 1.')
  }
  return undefined
}
