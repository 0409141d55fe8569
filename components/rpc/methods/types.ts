/**
 * What a value is, in the words that the playground needs: enough to draw a field, to say what a node would refuse and to
 * read a result. Everything is JSON: a quantity is hexadecimal text, an address is text.
 */
export type Type =
  | { kind: 'address' }
  /** 32 bytes: of a block, a transaction, a storage slot, a topic. */
  | { kind: 'hash' }
  /** Hexadecimal bytes of any length, or of exactly `bytes`. */
  | { kind: 'data'; bytes?: number; maxBytes?: number }
  /** A whole number as `0x` and digits without leading zeros; `wei` where it is an amount of the network's coin. */
  | { kind: 'quantity'; unit?: 'wei' }
  /** A number of JSON. */
  | { kind: 'number'; isWhole: boolean; min?: number; max?: number }
  | { kind: 'boolean' }
  | { kind: 'text' }
  | { kind: 'choice'; options: readonly ChoiceOption[] }
  /** A number or a tag; with `takesHash` also a block by its hash. */
  | { kind: 'block'; takesHash: boolean }
  /** Starknet's: a tag, `{block_number}` or `{block_hash}`. */
  | { kind: 'blockId'; tags: readonly string[] }
  /** A Starknet field element; `is` says what it stands for, where that helps to write it. */
  | { kind: 'felt'; is?: 'address' | 'hash' | 'selector' }
  /** Named fields; `isOpen` when others are normal too. */
  | { kind: 'object'; fields: readonly ParamDoc[]; isOpen?: boolean; rule?: RuleName }
  /** Any number of keys of one type. */
  | { kind: 'map'; key: Type; keyLabel: string; value: Type }
  | { kind: 'list'; of: Type; item: string; max?: number }
  /** A list whose places mean different things. */
  | { kind: 'tuple'; items: readonly ParamDoc[] }
  | { kind: 'union'; variants: readonly Variant[] }
  | { kind: 'null' }
  /** Whatever JSON there is. */
  | { kind: 'any' }

export type ChoiceOption = { value: string | number | null; label: string }

export type Variant = { label: string; type: Type }

/** Rules about several fields at once, by name; what they say is in `rules.ts`. */
export type RuleName = 'call' | 'logs' | 'traces' | 'fees' | 'events'

/** A parameter, or a field of an object. */
export type ParamDoc = {
  /** As the wire has it; where parameters go by place, what documentation calls it. */
  name: string
  label: string
  type: Type
  isRequired: boolean
  help?: string
  /** What the node takes when it is left out, as JSON. */
  default?: unknown
  /** Rarely set: folded away until it has a value. */
  isMinor?: boolean
}

type ResultDoc = {
  type: Type
  /** How to read it. */
  text: string
}

export type MethodDoc = {
  method: string
  summary: string
  description?: string
  /** A list by place, or an object by name. Starknet's methods take both, and clients send names. */
  paramsBy: 'place' | 'name'
  params: readonly ParamDoc[]
  /** About the parameters together. */
  rule?: RuleName
  result: ResultDoc
  /** A call that works as it stands on every network of the family that knows the method, and what it gave. */
  example?: { params: unknown; result?: unknown }
}

export type ParamPath = (string | number)[]

export type ParamProblem = {
  path: ParamPath
  /** What is wrong, and what to write instead. */
  message: string
  severity: 'error' | 'warning'
  /** What was meant, most likely. */
  fix?: { label: string; value: unknown }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
