import type { MethodDoc, ParamDoc, RuleName, Type, Variant } from '@/components/rpc/methods/types'

/** The words that the tables of methods are written in. */

export const ADDRESS: Type = { kind: 'address' }
export const HASH: Type = { kind: 'hash' }
export const DATA: Type = { kind: 'data' }
export const QUANTITY: Type = { kind: 'quantity' }
export const WEI: Type = { kind: 'quantity', unit: 'wei' }
export const BOOLEAN: Type = { kind: 'boolean' }
export const TEXT: Type = { kind: 'text' }
export const ANY: Type = { kind: 'any' }
export const NULL: Type = { kind: 'null' }
export const WHOLE: Type = { kind: 'number', isWhole: true, min: 0 }
export const FELT: Type = { kind: 'felt' }
export const FELT_ADDRESS: Type = { kind: 'felt', is: 'address' }
export const FELT_HASH: Type = { kind: 'felt', is: 'hash' }

export const bytes = (count: number): Type => ({ kind: 'data', bytes: count })

export const list = (of: Type, item: string, max?: number): Type => ({
  kind: 'list',
  of,
  item,
  ...(max !== undefined && { max }),
})

export const choice = (...values: readonly string[]): Type => ({
  kind: 'choice',
  options: values.map((value) => ({ value, label: value })),
})

export const union = (...variants: readonly [label: string, type: Type][]): Type => ({
  kind: 'union',
  variants: variants.map(([label, type]): Variant => ({ label, type })),
})

/** A value or nothing, as results have it. */
export const orNull = (type: Type): Type => union(['Found', type], ['Nothing', NULL])

export const object = (fields: readonly ParamDoc[], rule?: RuleName): Type => ({
  kind: 'object',
  fields,
  ...(rule && { rule }),
})

/** Of a result: nodes add fields of their own. */
export const record = (...fields: readonly ParamDoc[]): Type => ({ kind: 'object', fields, isOpen: true })

type More = Partial<Pick<ParamDoc, 'default' | 'isMinor'>>

/** A field that has to be there. */
export const need = (name: string, label: string, type: Type, help?: string, more: More = {}): ParamDoc => ({
  name,
  label,
  type,
  isRequired: true,
  ...(help !== undefined && { help }),
  ...more,
})

/** A field that may be left out. */
export const may = (name: string, label: string, type: Type, help?: string, more: More = {}): ParamDoc => ({
  ...need(name, label, type, help, more),
  isRequired: false,
})

/** A field that may be left out, and mostly is. */
export const minor = (name: string, label: string, type: Type, help?: string): ParamDoc =>
  may(name, label, type, help, { isMinor: true })

/** A field of a result: its name is its label. */
export const gives = (name: string, type: Type, help?: string): ParamDoc => need(name, name, type, help)

/** One that is there at times. */
export const mayGive = (name: string, type: Type, help?: string): ParamDoc => may(name, name, type, help)

type Told = {
  /** What it does, in a line. */
  says: string
  more?: string
  params?: readonly ParamDoc[]
  rule?: RuleName
  result: Type
  read: string
  start?: unknown
  gave?: unknown
}

/** A method of the EVM's: parameters go by place. */
export const method = (name: string, told: Told): MethodDoc => docOf(name, 'place', told, [])

/** A method of Starknet's: parameters go by name. */
export const named = (name: string, told: Told): MethodDoc => docOf(name, 'name', told, {})

function docOf(name: string, paramsBy: MethodDoc['paramsBy'], told: Told, none: unknown): MethodDoc {
  return {
    method: name,
    summary: told.says,
    ...(told.more !== undefined && { description: told.more }),
    paramsBy,
    params: told.params ?? [],
    ...(told.rule && { rule: told.rule }),
    result: { type: told.result, text: told.read },
    example: { params: told.start ?? none, ...(told.gave !== undefined && { result: told.gave }) },
  }
}
