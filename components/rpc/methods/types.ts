import { isRecord } from '@/lib/browser/api'

/** Describes parameters and results, to draw fields, to check values and to read results. All values are JSON. */
export type Type =
  | { kind: 'address' }
  | { kind: 'hash' }
  // Hexadecimal bytes of any length, or of exactly `bytes`.
  | { kind: 'data'; bytes?: number; maxBytes?: number }
  // `0x` and digits without leading zeros; `wei` for an amount of the network's coin.
  | { kind: 'quantity'; unit?: 'wei' }
  | { kind: 'number'; isWhole: boolean; min?: number; max?: number }
  | { kind: 'boolean' }
  | { kind: 'text' }
  | { kind: 'choice'; options: readonly ChoiceOption[] }
  // A number or a tag; with `takesHash` also a block by its hash.
  | { kind: 'block'; takesHash: boolean }
  // Starknet's: a tag, `{block_number}` or `{block_hash}`.
  | { kind: 'blockId'; tags: readonly string[] }
  | { kind: 'felt'; is?: 'address' | 'hash' | 'selector' }
  // `isOpen`: nodes add other fields.
  | { kind: 'object'; fields: readonly ParamDoc[]; isOpen?: boolean; rule?: RuleName }
  | { kind: 'map'; key: Type; keyLabel: string; value: Type }
  | { kind: 'list'; of: Type; item: string; max?: number }
  | { kind: 'tuple'; items: readonly ParamDoc[] }
  | { kind: 'union'; variants: readonly Variant[] }
  | { kind: 'null' }
  | { kind: 'any' }

export type ChoiceOption = { value: string | number | null; label: string }

export type Variant = { label: string; type: Type }

// Rules about several fields at once; `check-params.ts` has them.
export type RuleName = 'call' | 'logs' | 'traces' | 'fees' | 'events'

export type ParamDoc = {
  // As the wire has it; for positional parameters the name in documentation.
  name: string
  label: string
  type: Type
  isRequired: boolean
  help?: string
  // Value that the node takes when it is left out, as JSON.
  default?: unknown
  isMinor?: boolean
}

export type MethodDoc = {
  method: string
  summary: string
  description?: string
  // Starknet's methods take both; clients send names.
  paramsBy: 'place' | 'name'
  params: readonly ParamDoc[]
  rule?: RuleName
  result: { type: Type; text: string }
  // A call that works as it stands on every network of the family that knows the method, and its result.
  example: { params: unknown; result?: unknown }
}

/** Copies the parameters of a method's example, a call that works as it stands. */
export const startParams = ({ example }: MethodDoc): unknown => structuredClone(example.params)

export type ParamPath = (string | number)[]

export type ParamProblem = {
  path: ParamPath
  message: string
  severity: 'error' | 'warning'
  fix?: { label: string; value: unknown }
}

export const variantOf = (variants: readonly Variant[], value: unknown): Variant | undefined =>
  variants.find(({ type }) => hasShape(type, value))

/** Tells whether a value looks like a type, apart from the values inside. */
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

// Objects are told apart by a constant field such as `type`; results also by the fields that they always have.
function hasMarks({ fields, isOpen }: Type & { kind: 'object' }, value: Record<string, unknown>): boolean {
  return fields.every(({ name, type, isRequired }) => {
    if (!Object.hasOwn(value, name)) return !(isOpen && isRequired)
    const isMark = type.kind === 'choice' && type.options.length === 1
    return !isMark || hasShape(type, value[name])
  })
}
