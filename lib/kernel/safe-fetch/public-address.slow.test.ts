import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOwnAddress, isPrivateName, isPublicAddress, literalAddress } from '@/lib/kernel/safe-fetch/public-address'
import { FORBIDDEN_HOSTS } from '@/lib/kernel/testing/forbidden-addresses'

const SPECIAL_V4: [first: string, bits: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]
const SPECIAL_V6: [first: bigint, bits: number][] = [
  [0x2001_0000n << 96n, 23],
  [0x2001_0db8n << 96n, 32],
  [0x2002n << 112n, 16],
  [0x2620_004f_8000n << 80n, 48],
  [0x3fffn << 112n, 20],
]
const MAPPED = 0xffffn << 32n

const number4 = (dotted: string) => dotted.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
const isIn = (value: bigint, first: bigint, bits: number, width: number) =>
  value >> BigInt(width - bits) === first >> BigInt(width - bits)
const isPublic4 = (value: bigint) => !SPECIAL_V4.some(([first, bits]) => isIn(value, number4(first), bits, 32))
const isPublic6 = (value: bigint) => {
  if (value >> 32n === MAPPED >> 32n) return isPublic4(value & 0xffff_ffffn)
  return isIn(value, 0x2000n << 112n, 3, 128) && !SPECIAL_V6.some(([first, bits]) => isIn(value, first, bits, 128))
}

const anywhere4 = fc.bigInt({ min: 0n, max: 0xffff_ffffn })
const address4 = fc.oneof(
  anywhere4,
  fc
    .tuple(fc.constantFrom(...SPECIAL_V4), fc.bigInt({ min: -2n, max: 2n }), fc.boolean())
    .map(([range, step, isEnd]) => {
      const size = 1n << BigInt(32 - range[1])
      const edge = number4(range[0]) + (isEnd ? size : 0n) + step
      return edge < 0n ? 0n : edge & 0xffff_ffffn
    }),
)
const address6 = fc.oneof(
  fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  fc.bigInt({ min: 0n, max: (1n << 125n) - 1n }).map((tail) => (1n << 125n) | tail),
  anywhere4,
  address4.map((inner) => MAPPED | inner),
  address4.map((inner) => (0x64_ff9bn << 96n) | inner),
  fc.tuple(address4, anywhere4).map(([inner, tail]) => (0x2002n << 112n) | (inner << 80n) | tail),
  fc
    .tuple(fc.constantFrom(...SPECIAL_V6), fc.bigInt({ min: -2n, max: 2n }), fc.boolean())
    .map(([range, step, isEnd]) => {
      return range[0] + (isEnd ? 1n << BigInt(128 - range[1]) : 0n) + step
    }),
)

type Style = { base: 10 | 16 | 8; zeroes: number; isUpper: boolean; isEscaped: boolean }
const style = fc.record({
  base: fc.constantFrom<(10 | 16 | 8)[]>(10, 16, 8),
  zeroes: fc.nat(6),
  isUpper: fc.boolean(),
  isEscaped: fc.boolean(),
})
function written(value: bigint, { base, zeroes, isUpper, isEscaped }: Style): string {
  const prefix = base === 16 ? '0x' : base === 8 ? '0' : ''
  const text = prefix + (base === 10 ? '' : '0'.repeat(zeroes)) + value.toString(base)
  const cased = isUpper ? text.toUpperCase() : text
  return isEscaped ? cased.replace(/\d/g, (digit) => `%3${digit}`) : cased
}
const spelling4 = fc.record({
  parts: fc.integer({ min: 1, max: 4 }),
  styles: fc.array(style, { minLength: 4, maxLength: 4 }),
})
function spell4(value: bigint, parts: number, styles: Style[]): string {
  const bytes = [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n)
  const head = bytes.slice(0, parts - 1)
  const last = value & ((1n << BigInt(8 * (5 - parts))) - 1n)
  return [...head, last].map((part, index) => written(part, styles[index]!)).join('.')
}
const spelling6 = fc.record({ isPadded: fc.boolean(), isUpper: fc.boolean(), isDotted: fc.boolean(), from: fc.nat(7) })
function spell6(value: bigint, how: { isPadded: boolean; isUpper: boolean; isDotted: boolean; from: number }): string {
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16))
  const padded = how.isPadded ? groups.map((group) => group.padStart(4, '0')) : groups
  const tail = [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
  const all = how.isDotted ? [...padded.slice(0, 6), tail] : padded
  let end = how.from
  while (end < (how.isDotted ? 6 : 8) && Number.parseInt(groups[end]!, 16) === 0) end++
  const short = end > how.from ? `${all.slice(0, how.from).join(':')}::${all.slice(end).join(':')}` : all.join(':')
  return how.isUpper ? short.toUpperCase() : short
}

const verdict = (host: string) => {
  const address = literalAddress(new URL(`http://${host}/`).hostname)
  return address === undefined ? 'a name' : isPublicAddress(address)
}

const PARSEABLE = FORBIDDEN_HOSTS.filter(({ host }) => URL.canParse(`http://${host}/`))

describe('an address in a URL', () => {
  test('of IPv4 is public exactly where the registries say so, in any spelling', () => {
    fc.assert(
      fc.property(address4, spelling4, (value, { parts, styles }) => {
        expect(verdict(spell4(value, parts, styles))).toBe(isPublic4(value))
      }),
      { numRuns: 15_000 },
    )
  })

  test('of IPv6 is public exactly where the registries say so, in any spelling', () => {
    fc.assert(
      fc.property(address6, spelling6, (value, how) => {
        expect(verdict(`[${spell6(value, how)}]`)).toBe(isPublic6(value))
      }),
      { numRuns: 15_000 },
    )
  })

  test.each(PARSEABLE)('$host is not public: $means', ({ host }) => {
    const { hostname } = new URL(`http://${host}/`)
    const address = literalAddress(hostname)
    expect(address === undefined ? isPrivateName(hostname) : !isPublicAddress(address)).toBe(true)
  })
})

test.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '2606:4700::1111', '2a00:1450:4001::1', '::ffff:8.8.8.8'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

test.each(['', 'example.com', '8.8.8', 'fe80::1%lo', '2606:4700::1111%eth0', '8.8.8.8/8', ' 8.8.8.8'])(
  '%j is no public address',
  (text) => {
    expect(isPublicAddress(text)).toBe(false)
  },
)

test.each([
  'example.com',
  'example.com.',
  'local.example',
  'internal.example.com',
  'xn--bcher-kva.example',
  'notlocalhost.dev',
])('%s is looked up', (name) => {
  expect(isPrivateName(name)).toBe(false)
})

test('an address of this machine is its own, in any spelling', () => {
  expect(isOwnAddress('127.0.0.1')).toBe(true)
  expect(isOwnAddress('::ffff:127.0.0.1')).toBe(true)
  expect(isOwnAddress('8.8.8.8')).toBe(false)
})
