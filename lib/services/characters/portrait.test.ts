import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { designOf, drawPortrait, MOTIF_NAMES, PALETTE_NAMES } from '@/lib/services/characters/portrait'
import { shippedCharacters } from '@/lib/services/characters/shipped'

const MAX_BYTES = 4_500

describe.each(MOTIF_NAMES)('the portrait %s', (motif) => {
  const svg = drawPortrait('somebody', { motif, palette: 'lagoon' })

  test('is small, and has neither text nor scripts nor anything from elsewhere', () => {
    expect(Buffer.byteLength(svg)).toBeLessThan(MAX_BYTES)
    const tags = new Set([...svg.matchAll(/<([a-zA-Z]+)/g)].map(([, name]) => name))
    const allowed = ['svg', 'defs', 'linearGradient', 'stop', 'g', 'path', 'circle', 'ellipse', 'rect']
    expect([...tags].filter((name) => !allowed.includes(name!))).toEqual([])
    expect(svg).not.toMatch(/href|url\((?!#s\))|NaN|undefined/)
  })

  test('can be drawn, covers its ground, and shows more than its ground', async () => {
    const { data, info } = await sharp(Buffer.from(svg)).resize(60, 60).raw().toBuffer({ resolveWithObject: true })
    expect(info.channels === 3 || data.every((value, index) => index % 4 !== 3 || value === 255)).toBe(true)
    const colours = new Set<number>()
    for (let at = 0; at < data.length; at += info.channels) colours.add(data.readUIntBE(at, 3))
    expect(colours.size).toBeGreaterThan(150)
  })
})

test('is the same for the same character, and another for another', () => {
  const design = { motif: 'fox', palette: 'dawn' } as const
  expect(drawPortrait('a', design)).toBe(drawPortrait('a', design))
  expect(drawPortrait('a', design)).not.toBe(drawPortrait('b', design))
})

test('characters without a design of their own get different ones', () => {
  const designs = Array.from({ length: 200 }, (_, n) => designOf(`character-${n}`))
  expect(new Set(designs.map(({ motif, palette }) => `${motif} ${palette}`)).size).toBeGreaterThan(80)
  expect(new Set(designs.map(({ palette }) => palette)).size).toBe(PALETTE_NAMES.length)
})

test('no two shipped characters look alike', async () => {
  const shipped = [...(await shippedCharacters()).bySlug.values()]
  const designs = shipped.map(({ slug, portrait }) => portrait?.motif ?? slug)
  expect(shipped.every(({ portrait }) => portrait !== undefined)).toBe(true)
  expect(new Set(designs).size).toBe(designs.length)
})
