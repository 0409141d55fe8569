import { error, type Fault, leafFault, notAmong, shown, warning } from '@/components/rpc/methods/check-value'
import {
  type MethodDoc,
  type ParamDoc,
  type ParamPath,
  type ParamProblem,
  type RuleName,
  type Type,
  variantOf,
} from '@/components/rpc/methods/types'
import { isRecord } from '@/lib/browser/api'
import { formatDecimal, t } from '@/lib/i18n/t'

/** Checks the parameters of a call. Errors are what every node refuses, warnings what is most likely unintended. */
export function checkParams(doc: MethodDoc, params: unknown): ParamProblem[] {
  const sink = newSink()
  if (params === undefined || params === null) checkPlaces(doc, [], sink)
  else if (Array.isArray(params)) checkPlaces(doc, params, sink)
  else if (isRecord(params) && doc.paramsBy === 'name') checkFields(doc.params, params, [], sink)
  else if (isRecord(params)) report(sink, [], error(t('This method takes its parameters as a JSON array.')))
  else report(sink, [], noList(params))
  return sink.problems
}

function checkPlaces(doc: MethodDoc, params: readonly unknown[], sink: Sink): void {
  doc.params.forEach((param, index) => {
    // Of an empty list the missing parameters are reported by their names where the method has names.
    const path: ParamPath = doc.paramsBy === 'name' && params.length === 0 ? [param.name] : [index]
    checkField(param, params[index], path, sink)
  })
  const { length } = doc.params
  if (params.length > length) {
    const { method } = doc
    report(
      sink,
      [length],
      warning(
        t('Too many parameters for {method}: the maximum is {max}. Nodes may reject the call.', {
          method,
          max: length,
        }),
      ),
    )
  }
  if (doc.rule) for (const { at, ...fault } of ruleFaults(doc.rule, params)) report(sink, at, fault)
}

/** Checks a value with everything in it. Depth is bounded by the type: types do not contain themselves. */
export function checkType(type: Type, value: unknown, path: ParamPath, sink: Sink): void {
  if (sink.isFull()) return
  sink.valuesLeft -= 1
  switch (type.kind) {
    case 'object':
      if (isRecord(value)) checkObject(type, value, path, sink)
      else report(sink, path, noObject(value))
      break
    case 'map':
      if (isRecord(value)) checkMap(type, value, path, sink)
      else report(sink, path, noObject(value))
      break
    case 'list':
      if (Array.isArray(value)) checkList(type, value, path, sink)
      else report(sink, path, noList(value))
      break
    case 'tuple':
      if (Array.isArray(value)) checkTuple(type, value, path, sink)
      else report(sink, path, noList(value))
      break
    case 'union':
      checkUnion(type, value, path, sink)
      break
    default:
      report(sink, path, leafFault(type, value))
  }
}

const noObject = (value: unknown) => error(t('Expected a JSON object, got {value}.', { value: shown(value) }))
const noList = (value: unknown) => error(t('Expected a JSON array, got {value}.', { value: shown(value) }))

function checkFields(fields: readonly ParamDoc[], value: Fields, path: ParamPath, sink: Sink, isOpen = false): void {
  for (const field of fields) {
    checkField(field, Object.hasOwn(value, field.name) ? value[field.name] : undefined, [...path, field.name], sink)
  }
  if (isOpen) return
  for (const key of Object.keys(value)) {
    if (sink.isFull()) return
    if (fields.some(({ name }) => name === key)) continue
    const meant = fields.find(({ name }) => name.toLowerCase() === key.toLowerCase())
    const unknown = t('Unknown field {name}. Nodes may ignore the field.', { name: shown(key) })
    const hint = meant ? ` ${t('Did you mean {name}?', { name: meant.name })}` : ''
    report(sink, [...path, key], warning(unknown + hint))
  }
}

function checkField(field: ParamDoc, value: unknown, path: ParamPath, sink: Sink): void {
  const isMissing = value === undefined || (value === null && !takesNull(field))
  if (!isMissing) checkType(field.type, value, path, sink)
  else if (field.isRequired) report(sink, path, error(t('{field} is missing.', { field: field.label })))
}

const takesNull = ({ type }: ParamDoc): boolean =>
  type.kind === 'any' ||
  type.kind === 'null' ||
  (type.kind === 'union' && type.variants.some((variant) => variant.type.kind === 'null'))

type Fields = Record<string, unknown>

function checkObject(type: Type & { kind: 'object' }, value: Fields, path: ParamPath, sink: Sink): void {
  checkFields(type.fields, value, path, sink, type.isOpen)
  if (type.rule) for (const { at, ...fault } of ruleFaults(type.rule, value)) report(sink, [...path, ...at], fault)
}

function checkMap(type: Type & { kind: 'map' }, value: Fields, path: ParamPath, sink: Sink): void {
  for (const key of Object.keys(value)) {
    if (sink.isFull()) return
    checkType(type.key, key, [...path, key], sink)
    checkType(type.value, value[key], [...path, key], sink)
  }
}

function checkList(type: Type & { kind: 'list' }, value: unknown[], path: ParamPath, sink: Sink): void {
  if (type.max !== undefined && value.length > type.max) {
    const { max } = type
    report(sink, path, error(t('The maximum is {max} entries. This array has {count}.', { max, count: value.length })))
  }
  for (let index = 0; index < value.length && !sink.isFull(); index += 1) {
    checkType(type.of, value[index], [...path, index], sink)
  }
}

function checkTuple({ items }: Type & { kind: 'tuple' }, value: unknown[], path: ParamPath, sink: Sink): void {
  items.forEach((item, index) => {
    checkField(item, value[index], [...path, index], sink)
  })
  if (value.length > items.length) {
    const counts = { expected: items.length, count: value.length }
    report(sink, [...path, items.length], error(t('Expected {expected} entries. This array has {count}.', counts)))
  }
}

function checkUnion({ variants }: Type & { kind: 'union' }, value: unknown, path: ParamPath, sink: Sink): void {
  const variant = variantOf(variants, value)
  const labels = variants.map(({ label }) => label.toLowerCase()).join(' · ')
  if (variant) checkType(variant.type, value, path, sink)
  else report(sink, path, error(notAmong(labels, value)))
}

type Found = Fault & { at: ParamPath }
type Rule = (value: Fields) => Found[]

// Wider ranges are refused by most public nodes, or take long.
const WIDE_RANGE_BLOCKS = 10_000n
const MAX_FEE_BLOCKS = 1_024n
const MAX_EVENTS = 1_024

const RULES: Record<Exclude<RuleName, 'fees'>, Rule> = {
  call: callRule,
  logs: logsRule,
  traces: rangeRule,
  events: eventsRule,
}

// Of fields that depend on each other. `at` is relative to the object.
function ruleFaults(rule: RuleName, value: unknown): Found[] {
  if (rule === 'fees') return Array.isArray(value) ? feesRule(value) : []
  return isRecord(value) ? RULES[rule](value) : []
}

function callRule({ gasPrice, maxFeePerGas, maxPriorityFeePerGas, data, input }: Fields): Found[] {
  const found: Found[] = []
  if (isSet(gasPrice) && (isSet(maxFeePerGas) || isSet(maxPriorityFeePerGas))) {
    found.push({ at: ['gasPrice'], ...error(t('gasPrice can’t be combined with EIP-1559 fees.')) })
  }
  if (isSet(data) && isSet(input) && data !== input) {
    found.push({ at: ['input'], ...error(t('data and input are the same field. Set only one.')) })
  }
  return found
}

function logsRule(value: Fields): Found[] {
  const { blockHash, fromBlock, toBlock, address, topics } = value
  if (isSet(blockHash) && (isSet(fromBlock) || isSet(toBlock))) {
    return [{ at: ['blockHash'], ...error(t('Set a block hash or a block range, not both.')) }]
  }
  if (fromBlock === 'earliest' && toBlock !== 'earliest' && !isSmall(toBlock)) {
    const isWide = !isSet(address) && !hasEntries(topics)
    const whole = t('This range covers the whole chain. Most nodes reject it.')
    const narrow = isWide ? ` ${t('Also filter by contract or topic.')}` : ''
    return [{ at: ['fromBlock'], ...warning(whole + narrow) }]
  }
  return rangeRule(value)
}

function rangeRule({ fromBlock, toBlock }: Fields): Found[] {
  const from = heightOf(fromBlock)
  const to = heightOf(toBlock)
  if (from === undefined || to === undefined) return []
  if (from > to) return [{ at: ['toBlock'], ...error(t('The end block is before the start block.')) }]
  if (to - from <= WIDE_RANGE_BLOCKS) return []
  const counts = { count: formatDecimal(String(to - from + 1n)), max: Number(WIDE_RANGE_BLOCKS) }
  return [{ at: ['toBlock'], ...warning(t('{count} blocks. Most nodes accept at most {max} per call.', counts)) }]
}

function eventsRule({ chunk_size: size, from_block: from, to_block: to }: Fields): Found[] {
  const found: Found[] = []
  if (typeof size === 'number' && size > MAX_EVENTS) {
    found.push({
      at: ['chunk_size'],
      ...warning(t('Most nodes return at most {max} events per page.', { max: MAX_EVENTS })),
    })
  }
  const first = isRecord(from) ? from.block_number : undefined
  const last = isRecord(to) ? to.block_number : undefined
  if (typeof first === 'number' && typeof last === 'number' && first > last) {
    found.push({ at: ['to_block'], ...error(t('The end block is before the start block.')) })
  }
  return found
}

function feesRule([count, , percentiles]: readonly unknown[]): Found[] {
  const found: Found[] = []
  const blocks = heightOf(count)
  if (blocks !== undefined && blocks > MAX_FEE_BLOCKS) {
    found.push({ at: [0], ...warning(t('Most nodes return at most {max} blocks.', { max: Number(MAX_FEE_BLOCKS) })) })
  }
  const list: unknown[] = Array.isArray(percentiles) ? percentiles : []
  const falling = list.findIndex((each, index) => isBelow(each, list[index - 1]))
  if (falling > 0) found.push({ at: [2, falling], ...error(t('Percentiles must be in ascending order.')) })
  return found
}

const MAX_HEIGHT_CHARS = 66

function heightOf(block: unknown): bigint | undefined {
  if (block === 'earliest') return 0n
  if (typeof block !== 'string' || block.length > MAX_HEIGHT_CHARS || !/^0x[0-9a-f]+$/i.test(block)) return undefined
  return BigInt(block)
}

function isSmall(block: unknown): boolean {
  const height = heightOf(block)
  return height !== undefined && height <= WIDE_RANGE_BLOCKS
}

const isBelow = (one: unknown, other: unknown): boolean =>
  typeof one === 'number' && typeof other === 'number' && one < other
const isSet = (value: unknown): boolean => value !== undefined && value !== null
const hasEntries = (value: unknown): boolean => Array.isArray(value) && value.some((entry) => entry !== null)

const MAX_PROBLEMS = 50
// A list of a million addresses must not stop the page.
const MAX_VALUES = 20_000

type Sink = { problems: ParamProblem[]; valuesLeft: number; isFull: () => boolean }

export function newSink(): Sink {
  const sink: Sink = {
    problems: [],
    valuesLeft: MAX_VALUES,
    isFull: () => sink.problems.length >= MAX_PROBLEMS || sink.valuesLeft <= 0,
  }
  return sink
}

function report(sink: Sink, path: ParamPath, fault: Fault | undefined): void {
  if (fault && sink.problems.length < MAX_PROBLEMS) sink.problems.push({ path, ...fault })
}
