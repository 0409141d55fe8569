import { scanJson } from '@/components/rpc/response/decode/json-scan'
import { type Json, readJson, TOO_DEEP } from '@/components/rpc/response/decode/json-value'

/** Two texts as lines that can be compared: the part of them that differs, with some lines around it. */
export type Comparison = {
  a: string
  b: string
  /** The number of the first line of both, counted from 1. */
  firstLine: number
  isSame: boolean
  /** They differ in more than is compared. */
  isCut: boolean
}

const MAX_LINES = 2_000
const LINES_AROUND = 3
const LONGEST_LINE_CHARS = 600
const LINE_HEAD_CHARS = 300
const LINE_TAIL_CHARS = 100
const LONGEST_TEXT_CHARS = 20 * 1024 * 1024

/** Compares two replies as JSON: indented alike, their names in one order. */
export function compareTexts(a: string, b: string): Comparison {
  const [linesA, linesB] = [linesOf(a), linesOf(b)]
  const shorter = Math.min(linesA.length, linesB.length)
  let before = 0
  while (before < shorter && linesA[before] === linesB[before]) before += 1
  const isSame = before === linesA.length && before === linesB.length
  let after = 0
  while (after < shorter - before && linesA.at(-1 - after) === linesB.at(-1 - after)) after += 1
  const first = isSame ? 0 : Math.max(0, before - LINES_AROUND)
  const part = (lines: string[]) => lines.slice(first, isSame ? undefined : lines.length - after + LINES_AROUND)
  const [partA, partB] = [part(linesA), part(linesB)]
  return {
    a: partA.slice(0, MAX_LINES).map(short).join('\n'),
    b: partB.slice(0, MAX_LINES).map(short).join('\n'),
    firstLine: first + 1,
    isSame,
    isCut: Math.max(partA.length, partB.length) > MAX_LINES,
  }
}

function linesOf(text: string): string[] {
  const isReadable = text.length <= LONGEST_TEXT_CHARS && scanJson(text).isJson
  if (!isReadable) return text.slice(0, LONGEST_TEXT_CHARS).split(/\r\n?|\n/)
  const lines: string[] = []
  print(readJson(text), '', '', '', lines)
  return lines
}

function print(value: Json, indent: string, before: string, after: string, lines: string[]): void {
  const isList = Array.isArray(value)
  if (!isList && (typeof value !== 'object' || value === null)) {
    lines.push(`${indent}${before}${printWord(value)}${after}`)
    return
  }
  const [open, close] = isList ? '[]' : '{}'
  const entries: [name: string, value: Json][] = isList
    ? value.map((one) => ['', one])
    : Object.keys(value)
        .sort()
        .map((name) => [`${JSON.stringify(name)}: `, value[name]!])
  if (entries.length === 0) {
    lines.push(`${indent}${before}${open}${close}${after}`)
    return
  }
  lines.push(`${indent}${before}${open}`)
  for (const [index, [name, one]] of entries.entries()) {
    print(one, `${indent}  `, name, index < entries.length - 1 ? ',' : '', lines)
  }
  lines.push(`${indent}${close}${after}`)
}

function printWord(value: Exclude<Json, object>): string {
  if (value === TOO_DEEP) return '…'
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/** A long line by its two ends and a number made of all of it, so that a difference in the middle still shows. */
function short(line: string): string {
  if (line.length <= LONGEST_LINE_CHARS) return line
  let sum = 0x811c9dc5
  for (let at = 0; at < line.length; at++) sum = Math.imul(sum ^ line.charCodeAt(at), 0x01000193)
  const mark = (sum >>> 0).toString(16).padStart(8, '0')
  return `${line.slice(0, LINE_HEAD_CHARS)} … ${line.length.toLocaleString('en')} characters, sum ${mark} … ${line.slice(-LINE_TAIL_CHARS)}`
}
