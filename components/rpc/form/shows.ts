import { blockText } from '@/components/rpc/form/block-text'
import { textOf } from '@/components/rpc/form/text'
import { isRecord } from '@/components/rpc/methods/blocks'
import type { Type } from '@/components/rpc/methods/types'
import { variantOf } from '@/components/rpc/methods/variants'

/** Whether the control of a type can show a value as it is. What is inside of it is asked again, entry by entry. */
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
      return textOf(type, value) !== undefined
  }
}
