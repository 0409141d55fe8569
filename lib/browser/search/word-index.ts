import { eachWith, packSegment, type Segment, segmentBytes } from '@/lib/browser/search/segment'

/** Texts that wait unpacked; then they are packed together. */
const MAX_LOOSE_TEXTS = 512
/** More packs than this become one. */
const MAX_SEGMENTS = 6
/** So do packs of which this part is dead. */
const MAX_DEAD_PART = 0.25

/** A text that has all words that were asked for, and how many of them it has as they are, not only as a beginning. */
export type Found = { number: number; whole: number }

/** Which words are in which texts. Texts are known by the number that they get when they are added. */
export class WordIndex {
  #next = 0
  #live = 0
  #dead = new Set<number>()
  #loose = new Map<string, number[]>()
  #looseTexts = 0
  #segments: Segment[] = []

  /** How many texts it knows. */
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

  /** The texts that have, for each term, a word which begins with it. */
  find(terms: readonly string[]): Found[] {
    let found: Map<number, number> | undefined
    for (const term of terms) {
      const having = this.#having(term)
      found = found === undefined ? having : both(found, having)
      if (found.size === 0) return []
    }
    return Array.from(found ?? [], ([number, whole]) => ({ number, whole }))
  }

  /** Packs what waits, so that `bytes` says all. */
  pack(): void {
    if (this.#looseTexts > 0) this.#segments.push(packSegment(this.#loose))
    this.#loose = new Map()
    this.#looseTexts = 0
    if (this.#segments.length > MAX_SEGMENTS) this.#merge()
  }

  /** One pack of all. */
  squeeze(): void {
    this.pack()
    if (this.#segments.length > 1) this.#merge()
  }

  /** What the packs take. */
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
