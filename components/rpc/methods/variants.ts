import { isRecord } from '@/components/rpc/methods/blocks'
import type { Type, Variant } from '@/components/rpc/methods/types'

/** Which of a union's variants a value is, by its outer shape; nothing when it is none. */
export const variantOf = (variants: readonly Variant[], value: unknown): Variant | undefined =>
  variants.find(({ type }) => hasShape(type, value))

/** Whether a value looks like a type from outside: text, list, object. What is in it is another question. */
export function hasShape(type: Type, value: unknown): boolean {
  switch (type.kind) {
    case 'null':
      return value === null
    case 'any':
      return true
    case 'boolean':
      return typeof value === 'boolean'
    case 'number':
      return typeof value === 'number'
    case 'choice':
      return type.options.some((option) => option.value === value)
    case 'list':
    case 'tuple':
      return Array.isArray(value)
    case 'map':
      return isRecord(value)
    case 'object':
      return isRecord(value) && hasMarks(type, value)
    case 'union':
      return variantOf(type.variants, value) !== undefined
    case 'block':
      return typeof value === 'string' || (type.takesHash && isRecord(value))
    case 'blockId':
      return typeof value === 'string' || isRecord(value)
    default:
      return typeof value === 'string'
  }
}

/**
 * Objects are told apart by a field such as `type`, which has to be the right one where it is there; results also by the
 * fields that they always have.
 */
function hasMarks({ fields, isOpen }: Type & { kind: 'object' }, value: Record<string, unknown>): boolean {
  return fields.every(({ name, type, isRequired }) => {
    if (!Object.hasOwn(value, name)) return !(isOpen && isRequired)
    const isMark = type.kind === 'choice' && type.options.length === 1
    return !isMark || hasShape(type, value[name])
  })
}
