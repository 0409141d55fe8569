import { parseJson } from '@/components/rpc/link'
import type { MethodDoc, ParamDoc, Type } from '@/components/rpc/methods/types'
import type { Use } from '@/components/rpc/response/decode/decoded'
import { isRecord } from '@/lib/browser/api'
import { t } from '@/lib/i18n/t'

type ParamsShape = 'place' | 'name' | 'other'

export function shapeOf(doc: MethodDoc, params: unknown): ParamsShape {
  if (params === undefined || params === null) return doc.paramsBy
  if (Array.isArray(params)) return 'place'
  return isRecord(params) && doc.paramsBy === 'name' ? 'name' : 'other'
}

/** A value of known parts, by name or by place: an object, a tuple, and the parameters of a call. */
export type Struct = Extract<Type, { kind: 'object' | 'tuple' }>

export const paramsStruct = (doc: MethodDoc, params: unknown): Struct =>
  shapeOf(doc, params) === 'name' ? { kind: 'object', fields: doc.params } : { kind: 'tuple', items: doc.params }

export const partsOf = (struct: Struct): readonly ParamDoc[] =>
  struct.kind === 'object' ? struct.fields : struct.items

export const stepAt = (struct: Struct, index: number): string | number =>
  struct.kind === 'object' ? struct.fields[index]!.name : index

export function partAt(struct: Struct, value: unknown, index: number): unknown {
  if (struct.kind === 'tuple') return Array.isArray(value) ? value[index] : undefined
  const { name } = struct.fields[index]!
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** Returns a value with one part changed, or removed by `undefined`. */
export function withPart(struct: Struct, value: unknown, index: number, part: unknown): unknown {
  if (struct.kind === 'object') return withField(value, struct.fields[index]!.name, part)
  return withPlace(struct.items, Array.isArray(value) ? value : [], index, part)
}

export const paramAt = (doc: MethodDoc, params: unknown, index: number): unknown =>
  partAt(paramsStruct(doc, params), params, index)

export const withParam = (doc: MethodDoc, params: unknown, index: number, value: unknown): unknown =>
  withPart(paramsStruct(doc, params), params, index, value)

function withPlace(places: readonly ParamDoc[], list: readonly unknown[], index: number, value: unknown): unknown[] {
  const next = [...list]
  if (value !== undefined) {
    // Places before it that nobody filled in: what the node would take anyway, else null.
    for (let place = next.length; place < index; place += 1) next.push(places[place]?.default ?? null)
    next[index] = value
    return next
  }
  if (index < next.length - 1) next[index] = null
  else if (index === next.length - 1) next.pop()
  while (next.length > 0 && next.length <= index && next.at(-1) === null) next.pop()
  return next
}

/** Returns an object with one field changed, or removed by `undefined`. The others keep their places. */
export function withField(value: unknown, name: string, field: unknown): Record<string, unknown> {
  const object = isRecord(value) ? value : {}
  // Computed keys define a field of the object itself, also where it is called __proto__.
  if (field !== undefined) return { ...object, [name]: field }
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))
}

/** Puts a value of a response into the first parameter that takes its kind, and names that parameter. */
export function putValue(doc: MethodDoc, params: unknown, use: Use): { params: unknown; place: string } | undefined {
  const place = doc.params.findIndex(({ type }) => takes(type, use))
  const direct = doc.params[place]
  if (direct) return { params: withParam(doc, params, place, use.value), place: direct.label }
  // Such as `to` of the transaction that a call is.
  for (const [index, { type }] of doc.params.entries()) {
    const field = type.kind === 'object' ? type.fields.find((each) => takes(each.type, use)) : undefined
    if (!field) continue
    const changed = withField(paramAt(doc, params, index), field.name, use.value)
    return { params: withParam(doc, params, index, changed), place: field.label }
  }
  return undefined
}

const takes = (type: Type, { kind }: Use): boolean => (type.kind === 'felt' ? type.is === kind : type.kind === kind)

export const unknownFields = (fields: readonly ParamDoc[], value: unknown): string[] =>
  isRecord(value) ? Object.keys(value).filter((key) => !fields.some(({ name }) => name === key)) : []

/** Returns the places, from 1, of entries after the known ones. */
export const restOf = (items: readonly ParamDoc[], value: unknown): number[] =>
  (Array.isArray(value) ? value.slice(items.length) : []).map((_, index) => items.length + index + 1)

export function emptyOf(type: Type): unknown {
  switch (type.kind) {
    case 'object':
      return Object.fromEntries(
        type.fields.filter(({ isRequired }) => isRequired).map((field) => [field.name, emptyOf(field.type)]),
      )
    case 'tuple':
      return type.items.filter(({ isRequired }) => isRequired).map((item) => emptyOf(item.type))
    case 'map':
    case 'any':
      return {}
    case 'list':
      return []
    case 'union':
      return type.variants[0] ? emptyOf(type.variants[0].type) : null
    case 'block':
      return 'latest'
    case 'blockId':
      return type.tags[0]
    case 'quantity':
    case 'felt':
      return '0x0'
    case 'data':
      return type.bytes === undefined && type.maxBytes === undefined ? '0x' : ''
    case 'number':
      return type.min ?? 0
    case 'boolean':
      return false
    case 'choice':
      return type.options[0]?.value ?? null
    case 'null':
      return null
    default:
      return ''
  }
}

const MAX_JSON_CHARS = 500_000

/** Prints JSON; undefined where a value is too deep or too long. */
export function printJson(value: unknown, indent = 2): string | undefined {
  try {
    const text = JSON.stringify(value ?? null, undefined, indent)
    return text.length <= MAX_JSON_CHARS ? text : undefined
  } catch {
    // Nested deeper than the machine's stack.
    return undefined
  }
}

type ReadJson = { value: unknown } | { fault: string }

export function readParams(text: string): ReadJson {
  if (text.trim() === '') return { value: [] }
  const read = readJson(text)
  if ('fault' in read) return read
  if (typeof read.value !== 'object' || read.value === null) {
    return {
      fault: t('Parameters must be an array, {list}, or an object, {object}.', { list: '[ … ]', object: '{ … }' }),
    }
  }
  return printJson(read.value) === undefined ? { fault: t('The text is too long or nested too deep.') } : read
}

export function readJson(text: string): ReadJson {
  const value = parseJson(text)
  return value === undefined ? { fault: t('Not valid JSON yet.') } : { value }
}
