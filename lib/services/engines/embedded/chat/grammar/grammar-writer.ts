/**
 * Writes the rules of one grammar in llama.cpp's notation, and those that every JSON grammar has. Runs in the child
 * process.
 */
import { EngineError } from '../../../engine.ts'

const MAX_GRAMMAR_CHARACTERS = 200_000
const MAX_FREE_DEPTH = 5
const MAX_DIGITS = 15

const SPACE = '( " " | "\\n" [ ]{0,16} )?'
/** Escapes with `\u` are left out: each character is one, and there are no halves of one. */
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

export const FORMATS = ['date', 'time', 'date-time', 'uuid'] as const satisfies BaseRule[]

export class GrammarWriter {
  readonly #rules = new Map<string, string>()
  readonly #byBody = new Map<string, string>()
  #characters = 0

  /** Adds a rule under a name of ours: no word of a caller names a rule. */
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

export const jsonLiteral = (value: unknown): string => literal(JSON.stringify(value))
