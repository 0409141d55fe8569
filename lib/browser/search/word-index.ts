/** Longer runs of letters are no words: keys, hashes, data. */
const MAX_WORD_CHARS = 32
const MAX_TERMS = 12
/** A text of a megabyte ends here. */
const MAX_WORDS = 60_000

const WORD = /[\p{L}\p{N}]+/gu
const MARKS = /\p{M}+/gu
/** Scripts without spaces between words: they are cut into pairs of characters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/** Folds case and accents. The result may be shorter or longer than the text. */
export const fold = (text: string): string => text.normalize('NFKD').replace(MARKS, '').toLowerCase()

export function searchWords(text: string): Set<string> {
  const words = new Set<string>()
  let left = MAX_WORDS
  for (const [word] of fold(text).matchAll(WORD)) {
    left -= 1
    if (left < 0) break
    if (UNSPACED.test(word)) for (const pair of pairsOf(word)) words.add(pair)
    else if (word.length <= MAX_WORD_CHARS) words.add(word)
  }
  return words
}

/** Splits a query into the beginnings of words that all have to be there. */
export function termsOf(query: string): string[] {
  const terms = new Set<string>()
  for (const [word] of fold(query).matchAll(WORD)) {
    if (!UNSPACED.test(word)) terms.add(word.slice(0, MAX_WORD_CHARS))
    // The last sign alone would only say again what the pairs say.
    else for (const pair of pairsOf(word)) if (pair.length > 1 || word.length === 1) terms.add(pair)
    if (terms.size >= MAX_TERMS) break
  }
  return [...terms].slice(0, MAX_TERMS)
}

function* pairsOf(word: string): Generator<string> {
  const signs = Array.from(word)
  for (let at = 0; at < signs.length; at += 1) yield signs.slice(at, at + 2).join('')
}

/** Texts that wait unpacked; then they are packed together. */
const MAX_LOOSE_TEXTS = 512
const MAX_SEGMENTS = 6
/** A pack is merged when more than this part of it is removed. */
const MAX_DEAD_PART = 0.25

/** A text that has all terms, and how many of them as whole words. */
export type Found = { number: number; whole: number }

export class WordIndex {
  #next = 0
  #live = 0
  #dead = new Set<number>()
  #loose = new Map<string, number[]>()
  #looseTexts = 0
  #segments: Segment[] = []

  get size(): number {
    return this.#live
  }

  add(words: Iterable<string>): number {
    const number = this.#next
    this.#next += 1
    this.#live += 1
    for (const word of words) {
      const list = this.#loose.get(word)
      if (list) list.push(number)
      else this.#loose.set(word, [number])
    }
    this.#looseTexts += 1
    if (this.#looseTexts >= MAX_LOOSE_TEXTS) this.pack()
    return number
  }

  remove(number: number): void {
    if (number >= this.#next || this.#dead.has(number)) return
    this.#dead.add(number)
    this.#live -= 1
    if (this.#dead.size > MAX_LOOSE_TEXTS && this.#dead.size > this.#live * MAX_DEAD_PART) this.#merge()
  }

  find(terms: readonly string[]): Found[] {
    let found: Map<number, number> | undefined
    for (const term of terms) {
      const having = this.#having(term)
      found = found === undefined ? having : both(found, having)
      if (found.size === 0) return []
    }
    return Array.from(found ?? [], ([number, whole]) => ({ number, whole }))
  }

  pack(): void {
    if (this.#looseTexts > 0) this.#segments.push(packSegment(this.#loose))
    this.#loose = new Map()
    this.#looseTexts = 0
    if (this.#segments.length > MAX_SEGMENTS) this.#merge()
  }

  squeeze(): void {
    this.pack()
    if (this.#segments.length > 1) this.#merge()
  }

  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segmentBytes(segment), 0)
  }

  #having(term: string): Map<number, number> {
    const having = new Map<number, number>()
    const visit = (word: string, numbers: readonly number[]) => {
      const whole = word === term ? 1 : 0
      for (const number of numbers) {
        if (!this.#dead.has(number)) having.set(number, Math.max(whole, having.get(number) ?? 0))
      }
    }
    for (const segment of this.#segments) eachWith(segment, term, visit)
    for (const [word, numbers] of this.#loose) if (word.startsWith(term)) visit(word, numbers)
    return having
  }

  #merge(): void {
    const all = new Map<string, number[]>()
    const take = (word: string, numbers: readonly number[]) => {
      const alive = numbers.filter((number) => !this.#dead.has(number))
      if (alive.length === 0) return
      const list = all.get(word)
      if (list) for (const number of alive) list.push(number)
      else all.set(word, alive)
    }
    // Numbers only grow, so lists that are put together in this order stay sorted.
    for (const segment of this.#segments) eachWith(segment, '', take)
    for (const [word, numbers] of this.#loose) take(word, numbers)
    this.#segments = all.size > 0 ? [packSegment(all)] : []
    this.#loose = new Map()
    this.#looseTexts = 0
    this.#dead.clear()
  }
}

function both(a: Map<number, number>, b: Map<number, number>): Map<number, number> {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  const common = new Map<number, number>()
  for (const [number, whole] of small) {
    const other = large.get(number)
    if (other !== undefined) common.set(number, whole + other)
  }
  return common
}

/**
 * Words and the numbers of their texts, packed: the words sorted in one string, the numbers as differences in bytes. An
 * entry in every sixteen says where it begins; the others are walked to.
 */
type Segment = { words: string; lists: Uint8Array; wordStarts: Uint32Array; listStarts: Uint32Array; count: number }

const STEP = 16
const BREAK = '\n'

function packSegment(entries: ReadonlyMap<string, readonly number[]>): Segment {
  const sorted = [...entries.keys()].sort()
  const writer = new ByteWriter()
  const wordStarts = new Uint32Array(Math.ceil(sorted.length / STEP))
  const listStarts = new Uint32Array(wordStarts.length)
  let chars = 0
  for (const [at, word] of sorted.entries()) {
    if (at % STEP === 0) {
      wordStarts[at / STEP] = chars
      listStarts[at / STEP] = writer.length
    }
    chars += word.length + 1
    writer.list(entries.get(word) ?? [])
  }
  return { words: sorted.join(BREAK), lists: writer.bytes(), wordStarts, listStarts, count: sorted.length }
}

function eachWith(segment: Segment, prefix: string, visit: (word: string, numbers: number[]) => void): void {
  const reader = new EntryReader(segment, blockOf(segment, prefix))
  for (let entry = reader.next(); entry !== undefined; entry = reader.next()) {
    if (entry >= prefix) {
      if (!entry.startsWith(prefix)) return
      visit(entry, reader.numbers())
    }
  }
}

/** Bytes of a segment; a character counts as one where all are Latin, as engines keep them. */
function segmentBytes({ words, lists, wordStarts, listStarts }: Segment): number {
  const isWide = /[\u0100-\uffff]/.test(words)
  return words.length * (isWide ? 2 : 1) + lists.length + wordStarts.byteLength + listStarts.byteLength
}

/** Returns the block of the first word that begins with `prefix`, if there is one. */
function blockOf({ words, wordStarts }: Segment, prefix: string): number {
  let low = 0
  let high = wordStarts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (wordAt(words, wordStarts[middle] ?? 0) < prefix) low = middle
    else high = middle - 1
  }
  return low
}

function wordAt(words: string, start: number): string {
  const end = words.indexOf(BREAK, start)
  return words.slice(start, end < 0 ? undefined : end)
}

class EntryReader {
  #word: number
  #list: number
  #body = 0
  #end: number

  readonly segment: Segment

  constructor(segment: Segment, block: number) {
    this.segment = segment
    this.#word = segment.wordStarts[block] ?? 0
    this.#end = segment.listStarts[block] ?? 0
    this.#list = this.#end
  }

  next(): string | undefined {
    const { words, lists } = this.segment
    if (this.segment.count === 0 || this.#word > words.length) return undefined
    const word = wordAt(words, this.#word)
    this.#word += word.length + 1
    this.#list = this.#end
    let size = 0
    for (let shift = 0; ; shift += 7) {
      const byte = lists[this.#list++] ?? 0
      size |= (byte & 127) << shift
      if (byte < 128) break
    }
    this.#body = this.#list
    this.#end = this.#body + size
    return word
  }

  numbers(): number[] {
    const { lists } = this.segment
    const numbers: number[] = []
    let number = 0
    let at = this.#body
    while (at < this.#end) {
      let step = 0
      for (let shift = 0; ; shift += 7) {
        const byte = lists[at++] ?? 0
        step |= (byte & 127) << shift
        if (byte < 128) break
      }
      number += step
      numbers.push(number)
    }
    return numbers
  }
}

class ByteWriter {
  #bytes = new Uint8Array(1024)
  length = 0

  /** Writes a list: its size in bytes, then the differences. */
  list(numbers: readonly number[]): void {
    let size = 0
    let before = 0
    for (const number of numbers) {
      size += sizeOf(number - before)
      before = number
    }
    this.#number(size)
    before = 0
    for (const number of numbers) {
      this.#number(number - before)
      before = number
    }
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.length)
  }

  #number(value: number): void {
    if (this.length + 5 > this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    let rest = value
    while (rest > 127) {
      this.#bytes[this.length++] = (rest & 127) | 128
      rest >>>= 7
    }
    this.#bytes[this.length++] = rest
  }
}

function sizeOf(value: number): number {
  let size = 1
  for (let rest = value; rest > 127; rest >>>= 7) size += 1
  return size
}
