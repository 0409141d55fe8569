import type { Draw } from '@/e2e/servers/fuzz/draw'

/** Things that nobody expects in the place of a value. */

const KILOBYTE = 1_024
const DEEP_LEVELS = [2, 20, 63, 64, 65, 66, 200, 1_000]

/** Texts that break what is careless with text. */
export const STRANGE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udc00y',
  '\ufeff',
  '\u202etxt.exe',
  '🌊🏳️‍🌈👩‍👩‍👧‍👦',
  'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢',
  'ﷺ'.repeat(64),
  'é',
  'İıſK',
  '\r\nx-injected: yes\r\n\r\n',
  '<script>alert(1)</script>',
  "'; drop table account; --",
  '%00%0d%0a%e0%a4%a',
  '../../../../etc/passwd',
  '#{7*7}',
  '{{7*7}}',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  'true',
  '-1',
  '1e309',
  '0x10',
  '9'.repeat(400),
  'a'.repeat(10 * KILOBYTE),
  '😀'.repeat(2 * KILOBYTE),
  '\n'.repeat(KILOBYTE),
  'data:image/png;base64,!!!',
  'data:,',
  'data:text/html;base64,PHNjcmlwdD4=',
  'http://127.0.0.1:1/',
  'http://10.0.0.1/x.png',
  'http://[::1]:22/',
  'http://169.254.169.254/latest/meta-data/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http://',
  '2026-02-30',
  '2026-13-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '-000001-01-01T00:00:00Z',
  '00000000-0000-0000-0000-000000000000',
  '0x0000000000000000000000000000000000000000',
]

const STRANGE_NUMBERS: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.1,
  1.5,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 1,
  Number.MIN_SAFE_INTEGER,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  Number.MIN_VALUE,
  2 ** 31,
  2 ** 32,
  2 ** 63,
  1e21,
  8.64e15 + 1,
]

/** Numbers as only a text can have them. */
export const RAW_NUMBERS = ['1e999', '-1e999', '1e-999', '9'.repeat(400), `0.${'3'.repeat(400)}`, '1E+2', '-0.0']

/** Names that a careless merge would take for its own. */
const STRANGE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '_errors',
  '',
  ' ',
  'length',
]

/** A value of another kind. */
export function otherKind(value: unknown, draw: Draw): unknown {
  const kinds = [null, true, false, 0, 'text', [], {}, [value], { value }, String(value)]
  const others = kinds.filter((other) => typeof other !== typeof value || Array.isArray(other) !== Array.isArray(value))
  return draw.pick(others.length > 0 ? others : kinds)
}

export const strangeText = (draw: Draw): string => draw.pick(STRANGE_TEXTS)
export const strangeNumber = (draw: Draw): number => draw.pick(STRANGE_NUMBERS)
export const strangeName = (draw: Draw): string => (draw.chance(0.5) ? draw.pick(STRANGE_NAMES) : strangeText(draw))

/** Lists in lists, or objects in objects. */
export function nested(draw: Draw): unknown {
  const levels = draw.pick(DEEP_LEVELS)
  const isList = draw.chance(0.5)
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = isList ? [value] : { a: value }
  return value
}
