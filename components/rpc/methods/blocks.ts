import { error, type Fault, feltFault, hashFault, quantityFault, shown, warning } from '@/components/rpc/methods/hex'

/** The tags of the EVM's nodes, from the newest back. */
export const BLOCK_TAGS = ['latest', 'pending', 'safe', 'finalized', 'earliest'] as const

const HASH = /^0x[0-9a-f]{64}$/i
const HASH_CHARS = 66

/** @param takesHash by EIP-1898: `{blockHash}`, or the hash alone, which most nodes take as well. */
export function blockFault(value: unknown, takesHash: boolean): Fault | undefined {
  if (isRecord(value)) return takesHash ? selectorFault(value) : error('Here a block is a number or a tag.')
  if (typeof value !== 'string') return numberFault(value)
  if ((BLOCK_TAGS as readonly string[]).includes(value)) return undefined
  if (value.length === HASH_CHARS && HASH.test(value)) {
    return takesHash ? undefined : error('This is a hash, and here a block is a number or a tag.')
  }
  if (/^[a-z]+$/i.test(value) && !/^[0-9a-f]+$/i.test(value)) return tagFault(value, BLOCK_TAGS)
  return quantityFault(value)
}

function numberFault(value: unknown): Fault {
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

/** Starknet's: a tag, or an object with the number or the hash. */
export function blockIdFault(value: unknown, tags: readonly string[]): Fault | undefined {
  if (typeof value === 'string') {
    if (tags.includes(value)) return undefined
    if (value === 'pending' && tags.includes('pre_confirmed')) {
      return warning('Since version 0.9 of the interface it is called pre_confirmed.', {
        label: 'Write pre_confirmed',
        value: 'pre_confirmed',
      })
    }
    if (feltFault(value) === undefined) {
      return error('A hash goes into an object.', { label: 'Write {"block_hash": …}', value: { block_hash: value } })
    }
    return tagFault(value, tags)
  }
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) {
    return error('A number goes into an object.', {
      label: 'Write {"block_number": …}',
      value: { block_number: value },
    })
  }
  if (!isRecord(value)) return error(`A block is a tag, a number or a hash, not ${shown(value)}.`)
  const hasHash = Object.hasOwn(value, 'block_hash')
  const hasNumber = Object.hasOwn(value, 'block_number')
  if (hasHash === hasNumber) return error('Give block_hash or block_number: one of the two.')
  if (hasHash) return feltFault(value.block_hash)
  const { block_number: number } = value
  const isFine = typeof number === 'number' && Number.isSafeInteger(number) && number >= 0
  return isFine ? undefined : error('block_number is a plain whole number.')
}

function tagFault(value: string, tags: readonly string[]): Fault {
  const meant = tags.find((tag) => tag === value.trim().toLowerCase())
  return error(
    `${shown(value)} is no block: write a number, or ${tags.join(', ')}.`,
    meant === undefined ? undefined : { label: `Write ${meant}`, value: meant },
  )
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
