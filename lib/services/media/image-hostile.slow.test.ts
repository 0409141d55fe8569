import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { crc32, deflateSync } from 'node:zlib'
import { zipSync } from 'fflate'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { imagePool, prepareImage } from '@/lib/services/media/image'
import { MediaError } from '@/lib/services/media/media-error'
import { failureOf, longestWork, makeHeic, mutated } from '@/lib/services/media/testing'

const signal = new AbortController().signal
const prepare = (bytes: Uint8Array) => prepareImage(bytes, { signal })
const ascii = (text: string) => new TextEncoder().encode(text)
const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: '#204060', noise: { type: 'gaussian', mean: 120, sigma: 40 } },
  })

let visits = 0
const canary = createServer((_, response) => {
  visits++
  response.end()
})
let address = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`
})
afterAll(() => {
  imagePool().close()
  canary.close()
})

const chunk = (type: string, data: Uint8Array) => {
  const body = Buffer.concat([Buffer.from(type), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
const header = (width: number, height: number) => {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.set([8, 2, 0, 0, 0], 8)
  return chunk('IHDR', data)
}
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const png = (...chunks: Buffer[]) => Buffer.concat([PNG, ...chunks, chunk('IEND', new Uint8Array())])
const imageFile = await noise(200, 200).png().toBuffer()
const photograph = await noise(200, 200).jpeg().toBuffer()

test.each<[string, string, () => Uint8Array | Promise<Uint8Array>]>([
  ['an empty file', 'corrupt', () => new Uint8Array()],
  [
    'a PNG of 30,000 x 30,000 in a few bytes',
    'too-large',
    () => png(header(30_000, 30_000), chunk('IDAT', deflateSync(Buffer.alloc(99)))),
  ],
  [
    'a PNG whose header lies about what is in it',
    'corrupt',
    () => png(header(2_000, 2_000), chunk('IDAT', deflateSync(Buffer.alloc(99)))),
  ],
  [
    'a PNG of sides beyond all numbers',
    'corrupt',
    () => png(header(0xffffffff, 0xffffffff), chunk('IDAT', deflateSync(Buffer.alloc(99)))),
  ],
  ['a PNG of no height', 'corrupt', () => png(header(100, 0), chunk('IDAT', deflateSync(Buffer.alloc(99))))],
  ['a truncated PNG', 'corrupt', () => imageFile.subarray(0, imageFile.length / 2)],
  ['a PNG header alone', 'corrupt', () => imageFile.subarray(0, 8)],
  ['a truncated JPEG', 'corrupt', () => photograph.subarray(0, photograph.length / 2)],
  ['a truncated WebP', 'corrupt', async () => (await noise(200, 200).webp().toBuffer()).subarray(0, 2_000)],
  ['a truncated AVIF', 'corrupt', async () => (await noise(200, 200).avif().toBuffer()).subarray(0, 400)],
  ['a truncated HEIC', 'corrupt', () => makeHeic().subarray(0, 900)],
  ['a HEIC of another size than it says', 'corrupt', () => makeHeic({ width: 4_000, height: 4_000 })],
  ['a HEIC of 100 megapixels', 'too-large', () => makeHeic({ width: 10_000, height: 10_000 })],
  ['a zip archive', 'unsupported', () => zipSync({ 'a.png': imageFile })],
  ['a PDF', 'unsupported', () => ascii('%PDF-1.7\n1 0 obj')],
  ['a TIFF', 'unsupported', () => noise(100, 100).tiff().toBuffer()],
  ['a BMP', 'unsupported', () => Buffer.concat([ascii('BM'), Buffer.alloc(100)])],
  ['an SVG', 'unsupported', () => ascii('<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"/>')],
  ['a page', 'unsupported', () => ascii('<!doctype html><img src=x>')],
  [
    'a JPEG start before a page',
    'corrupt',
    () => Buffer.concat([photograph.subarray(0, 4), ascii('<html>'.repeat(99))]),
  ],
  [
    'a PNG start before an SVG',
    'corrupt',
    () => Buffer.concat([PNG, ascii('<svg xmlns="http://www.w3.org/2000/svg"/>')]),
  ],
  ['25 MB of nothing', 'corrupt', () => Buffer.concat([PNG, Buffer.alloc(24_000_000)])],
  ['more than 25 MB', 'too-large', () => Buffer.concat([imageFile, Buffer.alloc(25_000_000)])],
])('%s is %s', async (_, reason, make) => {
  const bytes = await make()

  const failure = await failureOf(prepare(bytes))

  expect(failure).toMatchObject({ reason })
  expect(failure.message.length).toBeLessThan(200)
  expect(failure.message).not.toContain('/')
})

test('an SVG reaches neither files nor the network', async () => {
  const svg = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY e SYSTEM "${address}/entity">]><svg xmlns="http://www.w3.org/2000/svg"
    xmlns:xlink="http://www.w3.org/1999/xlink" width="99" height="99"><image xlink:href="${address}/image"/><text>&e;</text></svg>`
  for (const disguise of ['', '\x89PNG\r\n\x1a\n', 'GIF89a', '\xff\xd8\xff']) {
    const failure = await failureOf(prepare(Buffer.concat([Buffer.from(disguise, 'latin1'), ascii(svg)])))
    expect(failure.reason).toMatch(/unsupported|corrupt/)
  }
  expect(visits).toBe(0)
})

test('what is hidden behind or inside a picture does not come through', async () => {
  const script = ascii('<script>steal()</script>')
  const behind = Buffer.concat([photograph, zipSync({ 'a.html': script }, { level: 0 }), script])
  const inside = Buffer.concat([
    imageFile.subarray(0, 33),
    chunk('tEXt', Buffer.concat([ascii('Comment\0'), script])),
    imageFile.subarray(33),
  ])

  for (const bytes of [behind, inside]) {
    expect(Buffer.from(bytes).includes('steal()')).toBe(true)
    expect(Buffer.from((await prepare(bytes)).bytes).includes('steal()')).toBe(false)
  }
})

test('an animated PNG is its first picture', async () => {
  const control = Buffer.alloc(8)
  control.writeUInt32BE(1_000_000)
  const frame = Buffer.alloc(26)
  frame.writeUInt32BE(200, 4)
  frame.writeUInt32BE(200, 8)
  const bytes = Buffer.concat([
    imageFile.subarray(0, 33),
    chunk('acTL', control),
    chunk('fcTL', frame),
    imageFile.subarray(33),
  ])

  expect(await prepare(bytes)).toMatchObject({ width: 200, height: 200 })
})

test('huge or senseless metadata costs nothing', async () => {
  const profile = Buffer.concat([ascii('x\0\0'), deflateSync(Buffer.alloc(20_000_000))])
  const text = Buffer.concat([ascii('Comment\0\0'), deflateSync(Buffer.alloc(40_000_000))])
  const exif = Buffer.concat([ascii('MM\0*\0\0\0\x08'), Buffer.alloc(4_000_000, 0xff)])
  for (const extra of [chunk('iCCP', profile), chunk('zTXt', text), chunk('eXIf', exif)]) {
    const bytes = Buffer.concat([imageFile.subarray(0, 33), extra, imageFile.subarray(33)])
    const outcome = await prepare(bytes).catch((error) => error)
    expect(outcome instanceof MediaError ? outcome.reason : outcome.width).toBeOneOf([200, 'corrupt', 'too-large'])
  }
  expect(await prepare(imageFile)).toMatchObject({ width: 200 })
})

test('a picture of almost 40 megapixels is read, upright, without temporary files or a pause of the server', async () => {
  const large = await sharp({ create: { width: 8_000, height: 4_990, channels: 3, background: '#c02040' } })
    .withMetadata({ orientation: 6 })
    .jpeg({ progressive: true })
    .toBuffer()
  const mine = () => readdirSync(tmpdir()).filter((name) => /vips|sharp|heif|magick/i.test(name))
  const before = mine()

  let image: unknown
  const pauseMs = await longestWork(async () => {
    image = await prepare(large)
  })

  expect(image).toMatchObject({ width: 1_277, height: 2_048 })
  expect(mine()).toEqual(before)
  expect(pauseMs).toBeLessThan(200)
})

test('damaged files of all kinds end in a picture or a clear refusal', async () => {
  const files = [imageFile, photograph, makeHeic()]
  for (const format of ['webp', 'avif', 'gif'] as const) files.push(await noise(100, 100).toFormat(format).toBuffer())
  const outcomes = new Set<string>()
  for (const file of files) {
    for (let seed = 1; seed <= 6; seed++) {
      const outcome = await prepare(mutated(file, seed)).catch((error) => error)
      outcomes.add(outcome instanceof MediaError ? outcome.reason : (outcome.mime ?? String(outcome)))
    }
  }
  const expected = ['image/jpeg', 'image/png', 'corrupt', 'too-small', 'too-large', 'unsupported', 'timeout']
  expect([...outcomes].filter((outcome) => !expected.includes(outcome))).toEqual([])
  expect(outcomes).toContain('corrupt')
  expect(await prepare(imageFile)).toMatchObject({ width: 200 })
})
