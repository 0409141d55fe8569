import type { Type } from '@/components/rpc/methods/types'

/** Types inside types are named this deep. */
const MAX_DEPTH = 2

/** What a type is called, short. @example typeName({ kind: 'list', of: { kind: 'hash' }, item: 'topic' }) // "list of 32-byte hash" */
export function typeName(type: Type, depth = 0): string {
  switch (type.kind) {
    case 'hash':
      return '32-byte hash'
    case 'data':
      return type.bytes === undefined ? 'hex data' : `${type.bytes} bytes of hex`
    case 'quantity':
      return type.unit === 'wei' ? 'hex quantity, in wei' : 'hex quantity'
    case 'number':
      return type.isWhole ? 'whole number' : 'number'
    case 'choice':
      return type.options.length <= 4
        ? type.options.map(({ value }) => JSON.stringify(value)).join(' or ')
        : `one of ${type.options.length} values`
    case 'block':
      return type.takesHash ? 'block number, tag or hash' : 'block number or tag'
    case 'blockId':
      return 'block number, hash or tag'
    case 'felt':
      return type.is === undefined ? 'field element' : `field element: ${type.is}`
    case 'list':
      return depth < MAX_DEPTH ? `list of ${typeName(type.of, depth + 1)}` : 'list'
    case 'union':
      return depth < MAX_DEPTH
        ? [...new Set(type.variants.map((variant) => typeName(variant.type, depth + 1)))].join(' or ')
        : 'one of several'
    case 'tuple':
      return 'list'
    case 'map':
      return 'object'
    case 'any':
      return 'any JSON'
    default:
      return type.kind
  }
}
