/**
 * Turns a JSON Schema into a grammar for the sampler. Every value that the grammar allows fits the schema, but not
 * every fitting value is allowed: properties come in the schema's order, optional ones are written too (small models
 * would leave out all of them) unless they lead back to where they are, and other keys come only where the schema says
 * so. A schema that cannot be followed is refused with its place. ADR 0032 says why the library's own grammar does not
 * do. Runs in the child process.
 */
import { EngineError } from '../../../engine.ts'
import { isObject, type Schema, SchemaDocument } from './json-schema.ts'

const MAX_DEPTH = 24
const MAX_PARTS = 1_000
const MAX_REPETITION = 1_000

const SCALARS = ['string', 'number', 'integer', 'boolean', 'null']
const TYPES = [...SCALARS, 'object', 'array']

export type GrammarTool = { name: string; parameters?: Record<string, unknown>; isStrict: boolean }

/** @throws EngineError `invalid-request` for a schema that is too large, is none, or cannot be followed. */
export function grammarOf(schema: unknown, isStrict: boolean): string {
  const writer = new GrammarWriter()
  return writer.text(new SchemaGrammar(writer, schema, isStrict).root())
}

export function callGrammarOf(tools: GrammarTool[]): string {
  const writer = new GrammarWriter()
  const space = writer.base('space')
  const calls = tools.map(({ name, parameters = { additionalProperties: false }, isStrict }) => {
    const root = new SchemaGrammar(writer, { type: 'object', ...parameters }, isStrict).root()
    const [nameKey, argumentsKey] = [jsonLiteral('name'), jsonLiteral('arguments')]
    return `"{" ${nameKey} ":" ${space} ${jsonLiteral(name)} "," ${space} ${argumentsKey} ":" ${space} ${root} "}"`
  })
  return writer.text(calls.join(' | '))
}

class SchemaGrammar {
  readonly #writer: GrammarWriter
  readonly #document: SchemaDocument
  readonly #references = new Map<string, string>()
  readonly #open = new Set<string>()
  #returns = 0
  #parts = 0

  constructor(writer: GrammarWriter, schema: unknown, isStrict: boolean) {
    this.#writer = writer
    this.#document = new SchemaDocument(schema, isStrict)
  }

  root(): string {
    return this.#refer('#', '#', 0)
  }

  #convert(schema: unknown, place: string, depth: number): string {
    this.#parts++
    if (depth > MAX_DEPTH || this.#parts > MAX_PARTS) {
      throw new EngineError(
        'invalid-request',
        `The JSON schema is too large for this model (${MAX_DEPTH} levels, ${MAX_PARTS} parts).`,
      )
    }
    const reference = this.#document.plainReference(schema)
    if (reference !== undefined) return this.#refer(reference, place, depth)
    const flat = this.#document.flatten(schema, place)
    const { anyOf, oneOf, ...own } = flat
    if (anyOf !== undefined && oneOf !== undefined) this.#refuse(`${place}/oneOf`, 'stands beside anyOf')
    const alternatives = anyOf ?? oneOf
    if (alternatives === undefined) return this.#plain(flat, place, depth)
    const name = anyOf === undefined ? 'oneOf' : 'anyOf'
    if (!Array.isArray(alternatives) || alternatives.length === 0) return this.#refuse(`${place}/${name}`, 'is empty')
    const rules = alternatives.map((alternative, index) => {
      const at = `${place}/${name}/${index}`
      const isAlone = Object.keys(own).every((key) => this.#document.isAnnotation(key))
      return this.#convert(isAlone ? alternative : this.#document.merge(own, alternative, at), at, depth + 1)
    })
    return this.#writer.rule(rules.join(' | '))
  }

  #refer(reference: string, place: string, depth: number): string {
    if (this.#open.has(reference)) this.#returns++
    const known = this.#references.get(reference)
    if (known) return known
    const name = this.#writer.reserve()
    this.#references.set(reference, name)
    this.#open.add(reference)
    this.#writer.define(name, this.#convert(this.#document.resolve(reference, place), reference, depth + 1))
    this.#open.delete(reference)
    return name
  }

  #plain(schema: Schema, place: string, depth: number): string {
    if (Object.hasOwn(schema, 'const')) return this.#writer.rule(jsonLiteral(schema.const))
    if (schema.enum !== undefined) {
      if (!Array.isArray(schema.enum) || schema.enum.length === 0) return this.#refuse(`${place}/enum`, 'is empty')
      return this.#writer.rule(schema.enum.map(jsonLiteral).join(' | '))
    }
    const types = this.#typesOf(schema, place)
    if (types.length === 0) return this.#writer.value()
    return this.#writer.rule(types.map((type) => this.#typed(type, schema, place, depth)).join(' | '))
  }

  #typesOf({ type, properties, required, additionalProperties, items, prefixItems, nullable }: Schema, place: string) {
    const named = type === undefined ? [] : [type].flat()
    const unknown = named.find((one) => typeof one !== 'string' || !TYPES.includes(one))
    if (unknown !== undefined) this.#refuse(`${place}/type`, 'is no type of JSON')
    if (named.length === 0 && (isObject(properties) || required || isObject(additionalProperties))) named.push('object')
    if (named.length === 0 && (items !== undefined || prefixItems !== undefined)) named.push('array')
    if (nullable === true && named.length > 0 && !named.includes('null')) named.push('null')
    return named as string[]
  }

  #typed(type: string, schema: Schema, place: string, depth: number): string {
    if (type === 'object') return this.#object(schema, place, depth)
    if (type === 'array') return this.#array(schema, place, depth)
    if (type === 'string') return this.#string(schema, place)
    if (type === 'number' || type === 'integer') return this.#number(type, schema, place)
    return this.#writer.base(type === 'boolean' ? 'boolean' : 'null')
  }

  #string({ format, minLength, maxLength }: Schema, place: string): string {
    const known = FORMATS.find((one) => one === format)
    if (known) return this.#writer.base(known)
    const [min, max] = this.#bounds(minLength, maxLength, place)
    if (min === 0 && max === undefined) return this.#writer.base('string')
    this.#writer.base('string')
    return this.#writer.rule(`"\\"" character{${min},${max ?? ''}} "\\""`)
  }

  #number(type: 'number' | 'integer', schema: Schema, place: string): string {
    const range = rangeOf(schema)
    if (range.min === undefined && range.max === undefined) return this.#writer.base(type)
    const rule = type === 'integer' ? integersOf(range) : numbersOf(range)
    if (rule !== undefined) return this.#writer.rule(rule)
    // Between two whole numbers there are others, which the grammar cannot count.
    if (type === 'number' && !this.#document.isStrict) return this.#writer.base(type)
    return this.#refuse(place, 'has no whole number between its bounds')
  }

  #array(schema: Schema, place: string, depth: number): string {
    const { items, prefixItems } = schema
    const [min, max] = this.#bounds(schema.minItems, schema.maxItems, place)
    const isTuple = Array.isArray(prefixItems) && prefixItems.length > 0
    const hasMore = items !== false && !(isTuple && items === undefined)
    const more = () => (items === undefined ? this.#writer.value() : this.#convert(items, `${place}/items`, depth + 1))
    if (!isTuple) return this.#writer.array(hasMore ? more() : '""', hasMore ? min : 0, hasMore ? max : 0)
    const first = prefixItems
      .slice(0, max)
      .map((item, index) => this.#convert(item, `${place}/prefixItems/${index}`, depth + 1))
    const space = this.#writer.base('space')
    const [minimum, limit] = [Math.max(0, min - first.length), max === undefined ? undefined : max - first.length]
    const hasRest = (hasMore || minimum > 0) && limit !== 0
    const rest = hasRest ? `( "," ${space} ${more()} ){${minimum},${limit ?? ''}}` : ''
    return this.#writer.rule(`"[" ${space} ${first.join(` "," ${space} `)} ${rest} ${space} "]"`)
  }

  #object(schema: Schema, place: string, depth: number): string {
    const { additionalProperties: others } = schema
    const named = new Map(Object.entries(isObject(schema.properties) ? schema.properties : {}))
    const required = new Set((Array.isArray(schema.required) ? schema.required : []).filter(isText))
    for (const name of required) {
      if (named.has(name)) continue
      if (others === false) this.#refuse(`${place}/required`, 'names a property that additionalProperties forbids')
      named.set(name, isObject(others) ? others : true)
    }
    const isOpen = others === undefined ? named.size === 0 : others !== false
    const key = isOpen ? keysExcept([...named.keys()]) : undefined
    const other = () =>
      isObject(others) ? this.#convert(others, `${place}/additionalProperties`, depth + 1) : this.#writer.value()
    const extra = key === undefined ? undefined : ([this.#writer.rule(key), other()] as const)
    if (named.size === 0) {
      const [min, max] = this.#bounds(schema.minProperties, schema.maxProperties, place)
      return extra ? this.#writer.map(...extra, min, max) : this.#writer.rule(`"{" ${this.#writer.base('space')} "}"`)
    }
    const pairs = [...named].map(([name, value]) => {
      const returns = this.#returns
      const rule = this.#convert(value, `${place}/properties/${name}`, depth + 1)
      const mayEnd = this.#returns > returns && !required.has(name)
      return { rule: this.#writer.pair(jsonLiteral(name), rule), mayEnd }
    })
    return this.#members(pairs, extra && this.#writer.pair(...extra))
  }

  #members(pairs: { rule: string; mayEnd: boolean }[], extra: string | undefined): string {
    const space = this.#writer.base('space')
    let after = extra ? this.#writer.rule(`( "," ${space} ${extra} )*`) : '""'
    let before = extra ? this.#writer.rule(`( ${extra} ${after} )?`) : '""'
    for (const { rule, mayEnd } of pairs.toReversed()) {
      const [next, first] = [`"," ${space} ${rule} ${after}`, `${rule} ${after}`]
      before = this.#writer.rule(mayEnd ? `${first} | ${before}` : first)
      after = this.#writer.rule(mayEnd ? `${next} | ${after}` : next)
    }
    return this.#writer.rule(`"{" ${space} ${before} ${space} "}"`)
  }

  #bounds(min: unknown, max: unknown, place: string): [min: number, max: number | undefined] {
    const minimum = typeof min === 'number' ? Math.max(0, Math.ceil(min)) : 0
    const limit = typeof max === 'number' && max <= MAX_REPETITION ? Math.max(0, Math.floor(max)) : undefined
    if (minimum > MAX_REPETITION) this.#refuse(place, `asks for more than ${MAX_REPETITION}`)
    if (limit !== undefined && minimum > limit) this.#refuse(place, 'has a minimum above its maximum')
    return [minimum, limit]
  }

  #refuse(place: string, why: string): never {
    throw this.#document.refusal(place, why)
  }
}

function rangeOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): Range {
  const mins = [minimum, isNumber(exclusiveMinimum) ? Math.floor(exclusiveMinimum) + 1 : undefined].filter(isNumber)
  const maxes = [maximum, isNumber(exclusiveMaximum) ? Math.ceil(exclusiveMaximum) - 1 : undefined].filter(isNumber)
  return {
    ...(mins.length > 0 && { min: Math.max(...mins) }),
    ...(maxes.length > 0 && { max: Math.min(...maxes) }),
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number'
const isText = (value: unknown): value is string => typeof value === 'string'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'
const MAX_KEY_CHARACTERS = 40
const REST = `[a-zA-Z0-9_]{0,${MAX_KEY_CHARACTERS}}`
const MAX_LETTERS = 2_000

function keysExcept(names: string[]): string | undefined {
  const others = names.filter((name) => name !== '' && [...name].every((letter) => ALPHABET.includes(letter)))
  if (others.join('').length > MAX_LETTERS) return undefined
  return `"\\"" ${others.length === 0 ? `[a-zA-Z0-9_] ${REST}` : unlike(others, false)} "\\""`
}

function unlike(ends: string[], mayEnd: boolean): string {
  const letters = [...new Set(ends.filter((end) => end !== '').map((end) => end[0]!))]
  const free = [...ALPHABET].filter((letter) => !letters.includes(letter)).join('')
  const parts = [
    ...(mayEnd ? ['""'] : []),
    ...(free === '' ? [] : [`[${free}] ${REST}`]),
    ...letters.map((letter) => {
      const rest = ends.filter((end) => end[0] === letter).map((end) => end.slice(1))
      return `"${letter}" ${unlike(rest, !rest.includes(''))}`
    }),
  ]
  return `( ${parts.join(' | ')} )`
}

const MAX_INTEGER = 10 ** 15 - 1

type Range = { min?: number; max?: number }

function integersOf({ min = -MAX_INTEGER, max = MAX_INTEGER }: Range): string | undefined {
  const [low, high] = [Math.max(Math.ceil(min), -MAX_INTEGER), Math.min(Math.floor(max), MAX_INTEGER)]
  if (!(low <= high)) return undefined
  const parts = [
    ...(low < 0 ? [`"-" ${magnitudes(Math.max(1, -high), -low)}`] : []),
    ...(high >= 0 ? [magnitudes(Math.max(0, low), high)] : []),
  ]
  return group(parts)
}

function numbersOf(range: Range): string | undefined {
  const whole = integersOf(range)
  if (whole === undefined) return undefined
  const { min = -MAX_INTEGER, max = MAX_INTEGER } = range
  const above = [Math.max(0, Math.ceil(min)), Math.min(MAX_INTEGER, Math.floor(max) - 1)] as const
  const below = [Math.max(0, Math.ceil(-max)), Math.min(MAX_INTEGER, Math.floor(-min) - 1)] as const
  const fraction = '"." [0-9]{1,15}'
  return group([
    whole,
    ...(above[0] <= above[1] ? [`${magnitudes(...above)} ${fraction}`] : []),
    ...(below[0] <= below[1] ? [`"-" ${magnitudes(...below)} ${fraction}`] : []),
  ])
}

function magnitudes(low: number, high: number): string {
  const parts: string[] = []
  for (let length = String(low).length; length <= String(high).length; length++) {
    const min = length === 1 ? 0 : 10 ** (length - 1)
    parts.push(sameLength(String(Math.max(low, min)), String(Math.min(high, 10 ** length - 1))))
  }
  return group(parts)
}

function sameLength(low: string, high: string): string {
  if (low === '') return ''
  if (/^0*$/.test(low) && /^9*$/.test(high)) return `[0-9]{${low.length}}`
  const [first, last] = [Number(low[0]), Number(high[0])]
  const [lowRest, highRest] = [low.slice(1), high.slice(1)]
  if (first === last) return `"${first}" ${sameLength(lowRest, highRest)}`
  if (lowRest === '') return `[${first}-${last}]`
  return group([
    `"${first}" ${sameLength(lowRest, '9'.repeat(lowRest.length))}`,
    ...(last - first > 1 ? [`[${first + 1}-${last - 1}] [0-9]{${lowRest.length}}`] : []),
    `"${last}" ${sameLength('0'.repeat(highRest.length), highRest)}`,
  ])
}

const group = (parts: string[]): string => (parts.length === 1 ? parts[0]! : `( ${parts.join(' | ')} )`)

const MAX_GRAMMAR_CHARACTERS = 200_000
const MAX_FREE_DEPTH = 5
const MAX_DIGITS = 15

const SPACE = '( " " | "\\n" [ ]{0,16} )?'
// Escapes with `\u` are left out: each character is one, and there are no halves of one.
const CHARACTER = '[^"\\\\\\x00-\\x1F] | "\\\\" ["\\\\/bfnrt]'
const DIGITS = `( "0" | [1-9] [0-9]{0,${MAX_DIGITS - 1}} )`
const TWO_DIGITS = { hour: '( [01] [0-9] | "2" [0-3] )', minute: '[0-5] [0-9]' }
const DATE = '[0-9]{4} "-" ( "0" [1-9] | "1" [0-2] ) "-" ( "0" [1-9] | "1" [0-9] | "2" [0-8] )'
const TIME = `${TWO_DIGITS.hour} ":" ${TWO_DIGITS.minute} ":" ${TWO_DIGITS.minute} ( "." [0-9]{3} )? "Z"`

const BASE = {
  space: SPACE,
  character: CHARACTER,
  string: '"\\"" character* "\\""',
  integer: `"-"? ${DIGITS}`,
  number: `"-"? ${DIGITS} ( "." [0-9]{1,${MAX_DIGITS}} )? ( [eE] [-+]? [0-9]{1,2} )?`,
  boolean: '"true" | "false"',
  null: '"null"',
  date: `"\\"" ${DATE} "\\""`,
  time: `"\\"" ${TIME} "\\""`,
  'date-time': `"\\"" ${DATE} "T" ${TIME} "\\""`,
  uuid: '"\\"" [0-9a-f]{8} "-" [0-9a-f]{4} "-4" [0-9a-f]{3} "-" [89ab] [0-9a-f]{3} "-" [0-9a-f]{12} "\\""',
} as const
type BaseRule = keyof typeof BASE

const FORMATS = ['date', 'time', 'date-time', 'uuid'] as const satisfies BaseRule[]

class GrammarWriter {
  readonly #rules = new Map<string, string>()
  readonly #byBody = new Map<string, string>()
  #characters = 0

  rule(body: string): string {
    const known = this.#byBody.get(body)
    if (known) return known
    const name = this.reserve()
    this.define(name, body)
    this.#byBody.set(body, name)
    return name
  }

  reserve(): string {
    const name = `r${this.#rules.size}`
    this.#rules.set(name, '')
    return name
  }

  define(name: string, body: string): void {
    this.#characters += body.length
    if (this.#characters > MAX_GRAMMAR_CHARACTERS) {
      throw new EngineError('invalid-request', 'The JSON schema is too large for this model.')
    }
    this.#rules.set(name, body)
  }

  base(name: BaseRule): string {
    if (!this.#rules.has(name)) {
      this.define(name, BASE[name])
      if (name === 'string') this.base('character')
    }
    return name
  }

  value(levels: number = MAX_FREE_DEPTH): string {
    const scalars = (['string', 'number', 'boolean', 'null'] as const).map((name) => this.base(name))
    if (levels === 0) return this.rule(scalars.join(' | '))
    const inner = this.value(levels - 1)
    return this.rule([...scalars, this.array(inner, 0), this.map(this.base('string'), inner, 0)].join(' | '))
  }

  array(item: string, min: number, max?: number): string {
    return this.rule(`"[" ${this.#list(item, min, max)} ${this.base('space')} "]"`)
  }

  map(key: string, value: string, min: number, max?: number): string {
    return this.rule(`"{" ${this.#list(this.pair(key, value), min, max)} ${this.base('space')} "}"`)
  }

  pair(key: string, value: string): string {
    return this.rule(`${key} ":" ${this.base('space')} ${value}`)
  }

  #list(item: string, min: number, max?: number): string {
    if (max === 0) return '""'
    const space = this.base('space')
    const rest =
      max === 1 ? '' : `( "," ${space} ${item} ){${Math.max(0, min - 1)},${max === undefined ? '' : max - 1}}`
    return min > 0 ? `${space} ${item} ${rest}` : `( ${space} ${item} ${rest} )?`
  }

  text(root: string): string {
    return [`root ::= ${root}`, ...[...this.#rules].map(([name, body]) => `${name} ::= ${body}`)].join('\n')
  }
}

function literal(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`
}

const jsonLiteral = (value: unknown): string => literal(JSON.stringify(value))
