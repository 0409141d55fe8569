import { expect, test, vi } from 'vitest'
import { base64Bytes, parseDataUrl } from '@/lib/services/media/data-url'

const read = (url: string) => {
  const parsed = parseDataUrl(url)
  return parsed && [parsed.mime, Buffer.from(parsed.bytes).toString()]
}

test('base64 is read, with and without padding', () => {
  expect(read('data:image/png;base64,aGVsbG8=')).toEqual(['image/png', 'hello'])
  expect(read('data:image/png;base64,aGVsbG8')).toEqual(['image/png', 'hello'])
  expect(read('DATA:Image/PNG;name=a.png;BASE64,aGVsbG8=')).toEqual(['image/png', 'hello'])
  expect(read('data:;base64,')).toEqual(['text/plain', ''])
})

test('escapes and line ends in base64 do not matter', () => {
  expect(read('data:image/png;base64,aGVsbG8%3D')).toEqual(['image/png', 'hello'])
  expect(read('data:image/png;base64,aGVs%0AbG8=')).toEqual(['image/png', 'hello'])
  expect(read('data:image/png;base64,aGVs\r\nbG8=')).toEqual(['image/png', 'hello'])
  expect(read('data:image/png;base64,%2b%2F8=')).toEqual(['image/png', Buffer.from('+/8=', 'base64').toString()])
})

test.each([
  'aGVsbG8*',
  'aGVs!bG8=',
  'aGVsbG8==',
  'aGVsb',
  'a',
  '=',
  '====',
  'aG=VsbG8',
  'aGVsbG8=aGVsbG8=',
  'aGVs_G8=',
  'aGVs-G8=',
  'aGVs%G8=',
  'aGVsbGé',
  'aGVs\0bG8',
  '{"not":"base64"}',
])('base64 that is not whole is refused: %s', (data) => {
  expect(parseDataUrl(`data:image/png;base64,${data}`)).toBeUndefined()
})

test('every stray byte in base64 is noticed', () => {
  const good = Buffer.from('some bytes to hold').toString('base64')
  for (let code = 0; code < 256; code++) {
    const character = String.fromCharCode(code)
    if (/[A-Za-z0-9+/\t\n\f\r ]/.test(character)) continue
    for (const at of [0, 7, good.length - 3]) {
      const bad = good.slice(0, at) + character + good.slice(at + 1)
      expect(parseDataUrl(`data:a/b;base64,${bad}`), `${code} at ${at}`).toBeUndefined()
    }
  }
})

test('a text of several pieces is read whole, and refused for a stray character in any of them', () => {
  for (const size of [1_572_862, 1_572_863, 1_572_864, 1_572_865, 1_572_866]) {
    const bytes = Buffer.alloc(size, 'some media')
    const text = bytes.toString('base64')
    expect(bytes.equals(base64Bytes(text) ?? new Uint8Array())).toBe(true)
    for (const at of [0, 1_048_575, 1_048_576, text.length - 5]) {
      expect(base64Bytes(`${text.slice(0, at)}*${text.slice(at + 1)}`), `${size} at ${at}`).toBeUndefined()
      expect(base64Bytes(`${text.slice(0, at)}=${text.slice(at + 1)}`), `${size} at ${at}`).toBeUndefined()
    }
  }
})

test('plain text is read', () => {
  expect(read('data:,Hello%2C%20World!')).toEqual(['text/plain', 'Hello, World!'])
  expect(read('data:text/csv;charset=utf-8,a,b%0A1,2')).toEqual(['text/csv', 'a,b\n1,2'])
  expect(read('data:text/plain,100% of %zz and %4')).toEqual(['text/plain', '100% of %zz and %4'])
  expect(read('data:text/plain,gr%C3%BCn und blau ü')).toEqual(['text/plain', 'grün und blau ü'])
})

test.each([
  '',
  'data:',
  'data:text/plain',
  'http://a/b,c',
  'data:no type,x',
  'data:a/b/c,x',
  `data:${'a/'.repeat(600)},x`,
])('what is no data URL is refused: %s', (url) => {
  expect(parseDataUrl(url)).toBeUndefined()
})

/** The least of three times: other work on the machine only adds to them. */
function cpuMs(work: () => void): number {
  const times = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...times)
}

/** The time of looking at every character of the largest text once: what is fast on this machine. */
function lookingMs(): number {
  const text = 'A'.repeat(36_000_000)
  let sum = 0
  return cpuMs(() => {
    for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at)
    if (sum === 0) throw new Error('nothing was looked at')
  })
}

test('a file of the largest size is read at once, more is refused', () => {
  const url = `data:video/mp4;base64,${Buffer.alloc(25_000_000, 'media').toString('base64')}`
  let parsed: ReturnType<typeof parseDataUrl>

  const used = cpuMs(() => {
    parsed = parseDataUrl(url)
  })

  expect(parsed?.bytes.length).toBe(25_000_000)
  expect(used / lookingMs()).toBeLessThan(1)
  expect(parseDataUrl(url + 'A'.repeat(3_000_000))).toBeUndefined()
})

test('the slowest ways to write a file take no long time either', () => {
  const looking = lookingMs()
  for (const [start, piece] of [
    ['data:text/plain,', '%41'],
    ['data:a/b;base64,', '%41'],
    ['data:a/b;base64,', 'AAAA\n'],
    ['data:a/b;base64,', '='],
    ['data:a/b;base64,', 'A*'],
  ] as const) {
    for (const length of [11_900_000, 35_900_000]) {
      const url = Buffer.from(start + piece.repeat(Math.floor(length / piece.length))).toString()
      const used = cpuMs(() => void parseDataUrl(url))
      expect(used / looking, `${start}${piece} ${length}`).toBeLessThan(0.5)
    }
  }
})

test('bare base64 may be in either alphabet', () => {
  expect(Buffer.from(base64Bytes('-_8=', 'either') ?? '').toString('hex')).toBe('fbff')
  expect(base64Bytes('-_8=')).toBeUndefined()
  expect(base64Bytes('https://a.example/b.wav', 'either')).toBeUndefined()
})

test('base64 that is mostly blanks is refused without looking at each of them', () => {
  const text = 'A '.repeat(15_000_000)
  const copies = vi.spyOn(Buffer, 'from')
  try {
    expect(base64Bytes(text)).toBeUndefined()
    // To take blanks out it would be copied first.
    expect(copies).not.toHaveBeenCalled()
  } finally {
    copies.mockRestore()
  }
})
