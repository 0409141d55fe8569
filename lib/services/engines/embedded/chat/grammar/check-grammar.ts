/**
 * Checks a grammar as llama.cpp does, before a runtime sees it: llama.node ends its process at a wrong one. Source:
 * llama.cpp, `llama_grammar_parser` and `llama_grammar_detect_left_recursion`. Runs in the child process.
 */
import { EngineError } from '../../../engine.ts'

/** llama.cpp's bound on the rules that a repetition makes. */
const MAX_REPEATED_RULES = 2_000

const IS = ' ::= '
const TOKEN = /"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|\{\d+(?:,\d*)?\}|[a-zA-Z0-9-]+|[()|*+?]/gs
const REPETITION = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})$/

type Part = { type: 'characters' } | { type: 'rule'; name: string } | { type: 'group'; alternatives: Part[][] }

/** @throws EngineError `invalid-request` for a rule that begins with itself, and for too many repetitions. */
export function assertGrammar(grammar: string): void {
  const rules = new GrammarReader(grammar).rules()
  const empty = emptyRulesOf(rules)
  const done = new Set<string>()
  const open = new Set<string>()
  const visit = (name: string): void => {
    if (done.has(name)) return
    if (open.has(name)) throw refusal('it never comes to a value')
    open.add(name)
    for (const next of leadingRules(rules.get(name)!, empty)) visit(next)
    open.delete(name)
    done.add(name)
  }
  for (const name of rules.keys()) visit(name)
}

const refusal = (why: string): EngineError =>
  new EngineError('invalid-request', `This model cannot follow the JSON schema: ${why}.`)

function emptyRulesOf(rules: Map<string, Part[][]>): Set<string> {
  const empty = new Set<string>()
  for (let before = -1; empty.size > before; ) {
    before = empty.size
    for (const [name, alternatives] of rules) if (mayBeEmpty({ type: 'group', alternatives }, empty)) empty.add(name)
  }
  return empty
}

function mayBeEmpty(part: Part, empty: Set<string>): boolean {
  if (part.type === 'characters') return false
  if (part.type === 'rule') return empty.has(part.name)
  return part.alternatives.some((sequence) => sequence.every((inner) => mayBeEmpty(inner, empty)))
}

/** Lists the rules that may stand at the beginning. */
function leadingRules(alternatives: Part[][], empty: Set<string>): string[] {
  return alternatives.flatMap((sequence) => {
    const end = sequence.findIndex((part) => !mayBeEmpty(part, empty))
    return sequence.slice(0, end < 0 ? undefined : end + 1).flatMap((part) => {
      if (part.type === 'rule') return [part.name]
      return part.type === 'group' ? leadingRules(part.alternatives, empty) : []
    })
  })
}

class GrammarReader {
  readonly #lines: string[]
  readonly #names = new Set<string>()
  /** Rules that llama.cpp makes of groups and repetitions. */
  #made = 0
  #tokens: string[] = []
  #at = 0

  constructor(grammar: string) {
    this.#lines = grammar.split('\n')
  }

  rules(): Map<string, Part[][]> {
    const rules = new Map(this.#lines.map((line) => this.#rule(line)))
    for (const name of this.#names) if (!rules.has(name)) throw new Error(`the grammar has no rule ${name}`)
    return rules
  }

  #rule(line: string): [string, Part[][]] {
    const end = line.indexOf(IS)
    const name = line.slice(0, end)
    this.#names.add(name)
    this.#tokens = line.slice(end + IS.length).match(TOKEN) ?? []
    this.#at = 0
    return [name, this.#alternatives()]
  }

  #alternatives(): Part[][] {
    const alternatives: Part[][] = [[]]
    while (this.#at < this.#tokens.length && this.#tokens[this.#at] !== ')') {
      if (this.#tokens[this.#at] !== '|') alternatives.at(-1)!.push(this.#repeated())
      else {
        this.#at++
        alternatives.push([])
      }
    }
    return alternatives
  }

  #repeated(): Part {
    const before = this.#names.size + this.#made
    const part = this.#part()
    const rules = part.type === 'group' ? Math.max(1, this.#names.size + this.#made - before) : 1
    const found = REPETITION.exec(this.#tokens[this.#at] ?? '')
    if (!found) return part
    this.#at++
    const [min, max] = boundsOf(found)
    if (rules * (max || min || 1) >= MAX_REPEATED_RULES) throw refusal('it asks for too many repetitions')
    this.#made += max === undefined ? 1 : max - min
    return min > 0 ? part : { type: 'group', alternatives: [[part], []] }
  }

  #part(): Part {
    const token = this.#tokens[this.#at++]!
    if (token === '(') {
      this.#made++
      const alternatives = this.#alternatives()
      this.#at++
      return { type: 'group', alternatives }
    }
    if (token === '""') return { type: 'group', alternatives: [[]] }
    if (/^["[]/.test(token)) return { type: 'characters' }
    this.#names.add(token)
    return { type: 'rule', name: token }
  }
}

function boundsOf([, sign, least, comma, most]: RegExpExecArray): [min: number, max: number | undefined] {
  if (sign !== undefined) return [sign === '+' ? 1 : 0, sign === '?' ? 1 : undefined]
  const min = Number(least)
  return [min, comma === undefined ? min : most ? Number(most) : undefined]
}
