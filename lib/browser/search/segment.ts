/**
 * Words and the numbers of the texts that have them, packed: the words sorted in one string, the numbers as differences in
 * bytes. An entry in every sixteen says where it begins; the others are walked to. A quarter of the size of the text where
 * maps of maps take several times it.
 */
export type Segment = {
  words: string
  lists: Uint8Array
  /** Where each sixteenth word begins in `words`, and its list in `lists`. */
  wordStarts: Uint32Array
  listStarts: Uint32Array
  count: number
}

const STEP = 16
/** Stands between words; no word has it. */
const BREAK = '\n'

/** Packs words with the ascending numbers of their texts. */
export function packSegment(entries: ReadonlyMap<string, readonly number[]>): Segment {
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

/** Calls back with each word that begins with `prefix`, and its numbers. */
export function eachWith(segment: Segment, prefix: string, visit: (word: string, numbers: number[]) => void): void {
  const reader = new EntryReader(segment, blockOf(segment, prefix))
  for (let entry = reader.next(); entry !== undefined; entry = reader.next()) {
    if (entry >= prefix) {
      if (!entry.startsWith(prefix)) return
      visit(entry, reader.numbers())
    }
  }
}

/** What a segment takes, in bytes; a character counts as one where all are Latin, as engines keep them. */
export function segmentBytes({ words, lists, wordStarts, listStarts }: Segment): number {
  const isWide = /[\u0100-\uffff]/.test(words)
  return words.length * (isWide ? 2 : 1) + lists.length + wordStarts.byteLength + listStarts.byteLength
}

/** The block in which the first word that begins with `prefix` stands, if it is anywhere. */
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

/** Goes through the words from a block on. */
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

/** Writes whole numbers in seven bits a byte. */
class ByteWriter {
  #bytes = new Uint8Array(1024)
  length = 0

  /** A list: its size in bytes, then the differences. */
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
