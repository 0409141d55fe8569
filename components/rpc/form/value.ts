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

export const stepOf = (doc: MethodDoc, params: unknown, index: number): string | number =>
  shapeOf(doc, params) === 'name' ? doc.params[index]!.name : index

export function paramAt(doc: MethodDoc, params: unknown, index: number): unknown {
  const step = stepOf(doc, params, index)
  if (Array.isArray(params)) return params[index]
  return isRecord(params) && Object.hasOwn(params, step) ? params[step] : undefined
}

export function withParam(doc: MethodDoc, params: unknown, index: number, value: unknown): unknown {
  if (shapeOf(doc, params) === 'name') {
    return withField(isRecord(params) ? params : {}, doc.params[index]!.name, value)
  }
  return withPlace(doc.params, Array.isArray(params) ? params : [], index, value)
}

export function withPlace(
  places: readonly ParamDoc[],
  list: readonly unknown[],
  index: number,
  value: unknown,
): unknown[] {
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
export function withField(
  object: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): Record<string, unknown> {
  // Computed keys define a field of the object itself, also where it is called __proto__.
  if (value !== undefined) return { ...object, [name]: value }
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))
}

export const withEntry = (list: readonly unknown[], index: number, value: unknown): unknown[] =>
  list.with(index, value ?? null)

export const withoutEntry = (list: readonly unknown[], index: number): unknown[] => list.toSpliced(index, 1)

/** Puts a value of a response into the first parameter that takes its kind, and names that parameter. */
export function putValue(doc: MethodDoc, params: unknown, use: Use): { params: unknown; place: string } | undefined {
  const place = doc.params.findIndex(({ type }) => takes(type, use))
  const direct = doc.params[place]
  if (direct) return { params: withParam(doc, params, place, use.value), place: direct.label }
  // Such as `to` of the transaction that a call is.
  for (const [index, { type }] of doc.params.entries()) {
    const field = type.kind === 'object' ? type.fields.find((each) => takes(each.type, use)) : undefined
    if (!field) continue
    const before = paramAt(doc, params, index)
    const changed = withField(isRecord(before) ? before : {}, field.name, use.value)
    return { params: withParam(doc, params, index, changed), place: field.label }
  }
  return undefined
}

const takes = (type: Type, { kind }: Use): boolean => (type.kind === 'felt' ? type.is === kind : type.kind === kind)

export const unknownFields = (fields: readonly ParamDoc[], object: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(object).filter((key) => !fields.some(({ name }) => name === key))

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
