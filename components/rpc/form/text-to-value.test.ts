import fc from 'fast-check'
import { hash, shortString } from 'starknet'
import { describe, expect, test } from 'vitest'
import {
  blockOf,
  blockText,
  feltOf,
  feltOfShortText,
  paramText,
  readText,
  selectorOf,
  shortTextOf,
  splitPasted,
  unitFor,
  unitsOf,
} from '@/components/rpc/form/text-to-value'

const [wei, gwei, coin] = unitsOf('POL') as [
  ReturnType<typeof unitsOf>[0],
  ReturnType<typeof unitsOf>[0],
  ReturnType<typeof unitsOf>[0],
]
const AMOUNT = { kind: 'quantity', unit: 'wei' } as const
const COUNT = { kind: 'quantity' } as const
const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

describe('a quantity', () => {
  test.each([
    ['12', wei, '0xc'],
    ['0x0c', wei, '0x0c'],
    ['1,000,000', wei, '0xf4240'],
    ['1_000 000', wei, '0xf4240'],
    ['0.1', coin, '0x16345785d8a0000'],
    ['1.5', gwei, '0x59682f00'],
    ['1.50', gwei, '0x59682f00'],
    ['1,5', gwei, '0x59682f00'],
    ['0,125', gwei, '0x7735940'],
    ['0', coin, '0x0'],
  ])('written as %s in %o is %s', (text, unit, value) => {
    expect(readText(AMOUNT, text, unit)).toBe(value)
  })

  test.each(['1.', '.5', '1e18', 'abc', '-1', '1,5,5', '0.0000000000000000001'])(
    'written as %s stays as it is',
    (text) => {
      expect(readText(AMOUNT, text, coin)).toBe(text)
    },
  )

  test('of half a wei stays as it is', () => {
    expect(readText(AMOUNT, '0.5', wei)).toBe('0.5')
    expect(readText(COUNT, '0.5')).toBe('0.5')
  })

  test('is the same in every unit, whatever it is', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.constantFrom(wei, gwei, coin), (amount, unit) => {
        const value = `0x${amount.toString(16)}`
        expect(readText(AMOUNT, paramText(AMOUNT, value, unit)!, unit)).toBe(value)
      }),
    )
  })

  test('that is not as nodes want it is shown as it is', () => {
    expect(paramText(COUNT, '0x00')).toBe('0x00')
    expect(paramText(COUNT, 'ten')).toBe('ten')
    expect(paramText(COUNT, 16)).toBe('16')
    expect(paramText(COUNT, { a: 1 })).toBeUndefined()
  })

  test('is shown in the unit in which it is short', () => {
    expect(unitFor('0xde0b6b3a7640000', [wei, gwei, coin], wei)).toBe(coin)
    expect(unitFor('0x3b9aca00', [wei, gwei, coin], wei)).toBe(gwei)
    expect(unitFor('0x1', [wei, gwei, coin], coin)).toBe(wei)
    expect(unitFor(undefined, [wei, gwei, coin], gwei)).toBe(gwei)
  })
})

describe('an address', () => {
  test.each([
    ADDRESS,
    ` ${ADDRESS}\n`,
    `https://etherscan.io/address/${ADDRESS}#code`,
    `eip155:1:${ADDRESS}`,
    `ethereum:${ADDRESS}@1`,
  ])('is found in %s', (text) => {
    expect(readText({ kind: 'address' }, text)).toBe(ADDRESS)
  })

  test('is not cut out of a hash, nor out of two', () => {
    const hash = `0x${'a'.repeat(64)}`
    expect(readText({ kind: 'address' }, hash)).toBe(hash)
    const two = `${ADDRESS} 0x${'1'.repeat(40)}`
    expect(readText({ kind: 'address' }, two)).toBe(two)
  })
})

describe('a number', () => {
  test.each([
    ['12', 12],
    ['0.5', 0.5],
    ['12a', '12a'],
    ['9007199254740993', '9007199254740993'],
    ['', undefined],
  ])('written as %j is %j', (text, value) => {
    expect(readText({ kind: 'number', isWhole: false }, text)).toBe(value)
  })
})

describe('a felt', () => {
  test.each(['transfer', 'balanceOf', '__execute__'])('made of the name %s is its selector', (name) => {
    expect(selectorOf(name)).toBe(hash.getSelectorFromName(name).replace(/^0x0+(?=.)/, '0x'))
    expect(feltOf(name, 'selector')).toBe(selectorOf(name))
    expect(feltOf(name, undefined)).toBe(name)
  })

  test('made of a short text is the one that starknet.js makes, and shows the text again', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'abcXYZ 019_-'), minLength: 2, maxLength: 31 })
    fc.assert(
      fc.property(texts, (text) => {
        expect(feltOfShortText(text)).toBe(shortString.encodeShortString(text))
        expect(shortTextOf(feltOfShortText(text))).toBe(text)
        expect(feltOf(`'${text}'`, undefined)).toBe(feltOfShortText(text))
      }),
    )
  })

  test.each(["'", "''", '"STRK"', '12', '0x1', 'é', "'é'", "'this text is longer than a felt holds'"])(
    'reads %s without a fault',
    (text) => {
      expect(typeof feltOf(text, undefined)).toBe('string')
    },
  )

  test('shows no text where there is none', () => {
    for (const value of ['0x1', '0x41', '0x4100', `0x${'f'.repeat(62)}`, undefined, 7])
      expect(shortTextOf(value)).toBeUndefined()
  })
})

describe('a block', () => {
  const block = { kind: 'block', takesHash: true } as const
  const blockId = { kind: 'blockId', tags: ['latest'] } as const
  const HASH = `0x${'ab'.repeat(32)}`

  test('is written as the family wants it', () => {
    expect(blockOf(block, { mode: 'number', text: '1,000' }, undefined)).toBe('0x3e8')
    expect(blockOf(blockId, { mode: 'number', text: '1000' }, undefined)).toEqual({ block_number: 1000 })
    expect(blockOf(block, { mode: 'hash', text: HASH }, 'latest')).toEqual({ blockHash: HASH })
    expect(blockOf(blockId, { mode: 'hash', text: '0x1' }, undefined)).toEqual({ block_hash: '0x1' })
    expect(blockOf(block, { mode: 'none' }, 'latest')).toBeUndefined()
  })

  test('keeps what else was said of it, and the form in which it was', () => {
    const before = { blockHash: HASH, requireCanonical: true }
    expect(blockOf(block, { mode: 'hash', text: '0x1' }, before)).toEqual({ blockHash: '0x1', requireCanonical: true })
    expect(blockOf(block, { mode: 'hash', text: HASH }, HASH)).toBe(HASH)
    expect(blockOf(block, { mode: 'number', text: '16' }, { blockNumber: '0x1' })).toEqual({ blockNumber: '0x10' })
  })

  test('stays as it was typed while it is none', () => {
    expect(blockOf(block, { mode: 'number', text: '1x' }, undefined)).toBe('1x')
    expect(blockText(block, '1x')).toEqual({ mode: 'number', text: '1x' })
    expect(blockOf(blockId, { mode: 'number', text: '1x' }, undefined)).toEqual({ block_number: '1x' })
    expect(blockText(blockId, { block_number: '1x' })).toEqual({ mode: 'number', text: '1x' })
  })

  test('of another shape is not shown as a block', () => {
    for (const value of [[], true, {}, { blockHash: HASH, blockNumber: '0x1' }])
      expect(blockText(block, value)).toBeUndefined()
  })
})

describe('pasted text', () => {
  const felt = { kind: 'felt' } as const
  test.each(['0x1, 0x2', '0x1\n0x2', '["0x1", "0x2"]', "['0x1' '0x2']"])('%j is two entries', (text) => {
    expect(splitPasted(felt, text)).toEqual(['0x1', '0x2'])
  })

  test('in decimal becomes what the node wants', () => {
    expect(splitPasted(felt, '1 2 10')).toEqual(['0x1', '0x2', '0xa'])
    expect(splitPasted({ kind: 'number', isWhole: false }, '10, 50')).toEqual([10, 50])
  })

  test.each(['0x1', 'two words', '', '<b>0x1</b> 0x2'])('%j is one entry, as it is', (text) => {
    expect(splitPasted(felt, text)).toBeUndefined()
  })
})
