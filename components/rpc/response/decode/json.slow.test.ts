import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { breakLines, MAX_LINE_CHARS } from '@/components/rpc/response/decode/jobs'
import {
  type FormatEnd,
  formatJson,
  isRecord,
  readJson,
  scanJson,
  type TextChunk,
  TOO_DEEP,
} from '@/components/rpc/response/decode/json'

const runs = { numRuns: 300 }

function drain<End>(lines: Generator<TextChunk, End>): { text: string; chunks: TextChunk[]; end: End } {
  const chunks: TextChunk[] = []
  for (;;) {
    const next = lines.next()
    if (next.done) return { text: chunks.map(({ text }) => text).join(''), chunks, end: next.value }
    chunks.push(next.value)
  }
}

const format = (text: string): string => drain<FormatEnd>(formatJson(text)).text

const tokens = (text: string): string[] => text.match(/"(?:[^"\\]|\\[\s\S])*"?|[^\s"]/g) ?? []

describe('formatting', () => {
  test('is what JSON.stringify indents, for every value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(format(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
      }),
      runs,
    )
  })

  test('means the same afterwards, however it was written', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(0, 1, 4, '\t', '\r\n'), (text, space) => {
        const written = JSON.stringify(JSON.parse(text), null, space)
        expect(JSON.parse(format(written))).toEqual(JSON.parse(text))
      }),
      runs,
    )
  })

  test('keeps every token of any text, JSON or not, and never throws', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]",:\\ \n\t019eE+-.trufalsn\u0000\u202e💧') })
    fc.assert(
      fc.property(fc.oneof(noise, fc.string({ unit: 'binary' })), (text) => {
        expect(tokens(format(text))).toEqual(tokens(text))
      }),
      runs,
    )
  })

  test('leaves numbers as they are written, of any size', () => {
    const text = '{"a":9007199254740993,"b":1.10,"c":-0,"d":1E400,"e":115792089237316195423570985008687907853269984665}'
    expect(format(text).replace(/\s/g, '')).toBe(text)
  })

  test('knows the line on which each bracket closes', () => {
    const { end, text } = drain(formatJson('{"a":[1,{"b":[]}],"c":2}'))
    const lines = text.split('\n')
    expect(end.lines).toBe(lines.length)
    for (const [index, closer] of end.closers.entries()) {
      if (closer === 0) continue
      const indent = /^ */.exec(lines[index - 1]!)![0]
      expect(lines[closer - 1]).toMatch(new RegExp(`^${indent}[}\\]]`))
    }
    expect([...end.closers].filter((closer) => closer > 0)).toHaveLength(3)
  })

  test('says where long strings can be folded, their ends left to see', () => {
    const long = `0x${'ab'.repeat(5_000)}`
    const { chunks } = drain(formatJson(JSON.stringify({ short: '0x12', input: long })))
    const [from, to] = chunks[0]!.folds
    expect(chunks[0]!.folds).toHaveLength(2)
    expect(chunks[0]!.text.slice(0, from)).toMatch(/"input": "0x[ab]+$/)
    expect(chunks[0]!.text.slice(to)).toMatch(/^[ab]{31}"\n}$/)
  })

  test('comes in chunks of whole lines', () => {
    const value = Array.from({ length: 60_000 }, (_, index) => ({ index, hash: '0xabcdef' }))
    const { chunks, text, end } = drain(formatJson(JSON.stringify(value)))
    expect(chunks.length).toBeGreaterThan(5)
    expect(text).toBe(JSON.stringify(value, null, 2))
    expect(end).toMatchObject({ lines: text.split('\n').length, isCut: false })
    for (const { text: chunk } of chunks.slice(1)) expect(chunk).toMatch(/^\n/)
  })

  test('stays small however deep the text is', () => {
    const deep = `${'['.repeat(10_000)}1${']'.repeat(10_000)}`
    expect(format(deep).length).toBeLessThan(2_000_000)
    expect(tokens(format(deep)).join('')).toBe(deep)
    expect(drain(formatJson(`[${'1,'.repeat(3_000_000)}1]`)).end.isCut).toBe(true)
  })
})

describe('scanning', () => {
  test('agrees with JSON.parse on what is JSON', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]",:\\ \n019eE+-.trufalsn\u0000'), maxLength: 12 })
    const almost = fc
      .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.constantFrom(',', '}', ']', '"', '\\', 'x', ''))
      .map(([text, at, junk]) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + junk + text.slice(place + 1)
      })
    fc.assert(
      fc.property(fc.oneof(noise, almost, fc.json()), (text) => {
        expect(scanJson(text).isJson).toBe(isJson(text))
      }),
      { numRuns: 3_000 },
    )
  })

  test('finds the values of the upper levels, with their names', () => {
    const text = ' {"id":1,"a\\u0062":{"x":[2]},"result":[ "0x1" , null]} '
    const found: [depth: number, key: string | undefined, text: string][] = []
    scanJson(text, 1, ({ depth, key, start, end }) => found.push([depth, key, text.slice(start, end)]))
    expect(found).toEqual([
      [1, 'id', '1'],
      [1, 'ab', '{"x":[2]}'],
      [1, 'result', '[ "0x1" , null]'],
      [0, undefined, text.trim()],
    ])
  })

  test('goes ten thousand levels deep', () => {
    expect(scanJson(`${'[{"a":'.repeat(5_000)}1${'}]'.repeat(5_000)}`)).toEqual({ isJson: true })
    expect(scanJson('['.repeat(200_000)).isJson).toBe(false)
  })
})

describe('reading', () => {
  test('gives what JSON.parse gives', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        // Minus zero is the one number that a bigint or text does not show.
        expect(plain(readJson(text))).toEqual(JSON.parse(text))
      }),
      runs,
    )
  })

  test('keeps whole numbers exact', () => {
    expect(readJson('[9007199254740991, 9007199254740993, -12345678901234567890, 1.5]')).toEqual([
      9007199254740991,
      9007199254740993n,
      -12345678901234567890n,
      1.5,
    ])
    expect(readJson('9'.repeat(1_000_000))).toHaveLength(1_000_000)
  })

  test('takes names of any kind, and is not changed by them', () => {
    const value = readJson('{"__proto__":{"polluted":1},"constructor":2,"a\\"b":3}')
    expect(isRecord(value) && Object.keys(value)).toEqual(['__proto__', 'constructor', 'a"b'])
    expect('polluted' in {}).toBe(false)
  })

  test('leaves out what is too deep', () => {
    let value = readJson(`${'['.repeat(10_000)}"]["${']'.repeat(10_000)}`)
    let depth = 0
    for (; Array.isArray(value); depth++) value = value[0]!
    expect(value).toBe(TOO_DEEP)
    expect(depth).toBe(64)
  })
})

describe('a text as it came', () => {
  test('loses nothing but the kind of its line ends', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', '\r', '💧', '"', '') }), (text) => {
        const { text: shown, end } = drain(breakLines(text))
        expect(shown).toBe(text.replace(/\r\n?/g, '\n'))
        expect(end.isBroken).toBe(false)
      }),
      runs,
    )
  })

  test('breaks long lines between characters', () => {
    const text = '💧'.repeat(300_000)
    const { text: shown, end, chunks } = drain(breakLines(text))
    expect(end.isBroken).toBe(true)
    expect(shown.replaceAll('\n', '')).toBe(text)
    expect(chunks.length).toBeGreaterThan(1)
    for (const line of shown.split('\n')) {
      expect(line.length).toBeLessThanOrEqual(MAX_LINE_CHARS)
      expect(line.isWellFormed()).toBe(true)
    }
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? Number(part) : part)))
