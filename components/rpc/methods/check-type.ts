import { isRecord } from '@/components/rpc/methods/blocks'
import { error, shown, warning } from '@/components/rpc/methods/hex'
import { leafFault } from '@/components/rpc/methods/leaf-fault'
import { ruleFaults } from '@/components/rpc/methods/rules'
import { report, type Sink } from '@/components/rpc/methods/sink'
import type { ParamDoc, ParamPath, Type } from '@/components/rpc/methods/types'
import { variantOf } from '@/components/rpc/methods/variants'

/** A value that is there, and everything in it. How deep it goes is bounded by the type: types do not contain themselves. */
export function checkType(type: Type, value: unknown, path: ParamPath, sink: Sink): void {
  if (sink.isFull()) return
  sink.valuesLeft -= 1
  switch (type.kind) {
    case 'object':
      checkObject(type, value, path, sink)
      break
    case 'map':
      checkMap(type, value, path, sink)
      break
    case 'list':
      checkList(type, value, path, sink)
      break
    case 'tuple':
      checkTuple(type, value, path, sink)
      break
    case 'union':
      checkUnion(type, value, path, sink)
      break
    default:
      report(sink, path, leafFault(type, value))
  }
}

/** The fields of an object: each by itself, what is missing, and what nobody knows. */
export function checkFields(
  fields: readonly ParamDoc[],
  value: Record<string, unknown>,
  path: ParamPath,
  sink: Sink,
  isOpen = false,
): void {
  for (const field of fields) {
    checkField(field, Object.hasOwn(value, field.name) ? value[field.name] : undefined, [...path, field.name], sink)
  }
  if (isOpen) return
  for (const key of Object.keys(value)) {
    if (sink.isFull()) return
    if (fields.some(({ name }) => name === key)) continue
    const meant = fields.find(({ name }) => name.toLowerCase() === key.toLowerCase())
    const hint = meant ? ` Is ${meant.name} meant?` : ''
    report(sink, [...path, key], warning(`${shown(key)} is not known here: nodes may ignore it.${hint}`))
  }
}

/** A field or a parameter, which may not be there. */
export function checkField(field: ParamDoc, value: unknown, path: ParamPath, sink: Sink): void {
  const isMissing = value === undefined || (value === null && !takesNull(field))
  if (!isMissing) checkType(field.type, value, path, sink)
  else if (field.isRequired) report(sink, path, error(`${field.label} is missing.`))
}

const takesNull = ({ type }: ParamDoc): boolean =>
  type.kind === 'any' ||
  type.kind === 'null' ||
  (type.kind === 'union' && type.variants.some((variant) => variant.type.kind === 'null'))

function checkObject(type: Type & { kind: 'object' }, value: unknown, path: ParamPath, sink: Sink): void {
  if (!isRecord(value)) {
    report(sink, path, noObject(value))
    return
  }
  checkFields(type.fields, value, path, sink, type.isOpen)
  if (type.rule) for (const { at, ...fault } of ruleFaults(type.rule, value)) report(sink, [...path, ...at], fault)
}

function checkMap(type: Type & { kind: 'map' }, value: unknown, path: ParamPath, sink: Sink): void {
  if (!isRecord(value)) {
    report(sink, path, noObject(value))
    return
  }
  for (const key of Object.keys(value)) {
    if (sink.isFull()) return
    checkType(type.key, key, [...path, key], sink)
    checkType(type.value, value[key], [...path, key], sink)
  }
}

function checkList(type: Type & { kind: 'list' }, value: unknown, path: ParamPath, sink: Sink): void {
  if (!Array.isArray(value)) {
    report(sink, path, noList(value))
    return
  }
  if (type.max !== undefined && value.length > type.max) {
    report(sink, path, error(`${type.max} entries at most; these are ${value.length.toLocaleString('en')}.`))
  }
  for (let index = 0; index < value.length && !sink.isFull(); index += 1) {
    checkType(type.of, value[index], [...path, index], sink)
  }
}

function checkTuple({ items }: Type & { kind: 'tuple' }, value: unknown, path: ParamPath, sink: Sink): void {
  if (!Array.isArray(value)) {
    report(sink, path, noList(value))
    return
  }
  items.forEach((item, index) => {
    checkField(item, value[index], [...path, index], sink)
  })
  if (value.length > items.length) {
    report(sink, [...path, items.length], error(`${items.length} entries are expected; these are ${value.length}.`))
  }
}

function checkUnion({ variants }: Type & { kind: 'union' }, value: unknown, path: ParamPath, sink: Sink): void {
  const variant = variantOf(variants, value)
  if (variant) {
    checkType(variant.type, value, path, sink)
    return
  }
  const labels = variants.map(({ label }) => label.toLowerCase()).join(' · ')
  report(sink, path, error(`${shown(value)} is none of these: ${labels}.`))
}

const noObject = (value: unknown) => error(`An object, { … }, is expected, not ${shown(value)}.`)
const noList = (value: unknown) => error(`A list, [ … ], is expected, not ${shown(value)}.`)
