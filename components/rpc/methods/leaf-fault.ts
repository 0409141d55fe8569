import { blockFault, blockIdFault } from '@/components/rpc/methods/blocks'
import {
  addressFault,
  dataFault,
  error,
  type Fault,
  feltFault,
  hashFault,
  quantityFault,
  shown,
} from '@/components/rpc/methods/hex'
import type { Type } from '@/components/rpc/methods/types'

/** Types that have no others in them. */
type Leaf = Exclude<Type, { kind: 'object' | 'map' | 'list' | 'tuple' | 'union' }>

/** What is wrong with such a value. */
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
    return error('A plain number is expected, not text.', { label: `Write ${Number(value)}`, value: Number(value) })
  }
  if (typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value)) {
    return error('A plain number is expected, not hexadecimal.', {
      label: `Write ${Number(value)}`,
      value: Number(value),
    })
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
  const fix = value === 'true' || value === 'false' ? { label: `Write ${value}`, value: value === 'true' } : undefined
  return error(`true or false is expected, not ${shown(value)}.`, fix)
}

function choiceFault({ options }: Type & { kind: 'choice' }, value: unknown): Fault | undefined {
  if (options.some((option) => option.value === value)) return undefined
  const wanted = options.map((option) => String(option.value)).join(', ')
  const typed = typeof value === 'string' ? value.trim().toLowerCase() : undefined
  const meant = options.find((option) => String(option.value).toLowerCase() === typed)
  return error(
    `${shown(value)} is not one of ${wanted}.`,
    meant && { label: `Write ${meant.value}`, value: meant.value },
  )
}
