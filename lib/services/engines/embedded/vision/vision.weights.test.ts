import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createEmbeddedChatEngine } from '@/lib/services/engines/embedded/chat/chat'
import { imageFile, STOP_SIGN, writing } from '@/lib/services/engines/embedded/testing/images'
import { chatRequest, collect } from '@/lib/services/engines/embedded/testing/random-chat-model'
import {
  createImageReader,
  describeReading,
  type EmbeddedImageReader,
} from '@/lib/services/engines/embedded/vision/chat'

const DOWNLOAD_MS = 300_000
let reader: EmbeddedImageReader

beforeAll(async () => {
  reader = createImageReader({ dataDir: path.resolve('.cache') })
  await reader.load()
}, DOWNLOAD_MS)
afterAll(() => reader.close())

const read = (image: Uint8Array, signal = new AbortController().signal) => reader.read(image, signal)
const linesOf = async (image: Uint8Array) => (await read(image)).text.split('\n').filter((line) => line !== '')

const LINES = [
  'The quick brown fox jumps over the lazy dog.',
  'Total amount due: $1,234.56 by March 31',
  'Contact: jane.doe@example.com, +1 (555) 010-4477',
]
const LINE = LINES.slice(0, 1)
const TWO_LINES = LINES.slice(0, 2)

test.each([
  ['a screen', 24, 'DejaVu Sans', LINES],
  ['a book', 16, 'Liberation Serif', LINES],
  ['12 px', 12, 'Liberation Sans', LINES],
  ['12 px, all letters of one width', 12, 'DejaVu Sans Mono', LINES],
  ['a poster', 72, 'DejaVu Sans', LINE],
])('text of %s is read to the letter', async (_, size, font, lines) => {
  const text = writing(lines, { size, font, left: size, top: size * 2 })
  expect(await linesOf(await imageFile(size * 34, size * (3 + lines.length), text))).toEqual(lines)
})

test.each([
  ['light on dark', 24, '#e6e6e6', '#1e1e1e'],
  ['light on dark in 12 px', 12, '#d4d4d4', '#1e1e1e'],
  ['coloured on dark', 24, '#61afef', '#282c34'],
  ['pale on pale', 24, '#999', '#ddd'],
])('%s is read to the letter', async (_, size, color, background) => {
  const text = writing(LINE, { size, color, left: size, top: size * 2 })
  expect(await linesOf(await imageFile(size * 34, size * 4, text, background))).toEqual(LINE)
})

test('a dark band on a light page is read too', async () => {
  const band = `<rect y="200" width="900" height="220" fill="#14213d"/>`
  const below = ['White text on a dark band', 'Second line: 98.6% complete']
  const page = writing(LINE) + band + writing(below, { top: 280, color: '#fff' })
  expect(await linesOf(await imageFile(900, 420, page))).toEqual([...LINE, ...below])
})

test('a receipt keeps each price on the line of its article', async () => {
  const receipt = [
    'CORNER CAFE',
    '12 High Street, Springfield',
    'Espresso          2.40',
    'Croissant         3.10',
    'Orange juice      4.25',
    'VAT 20%           1.95',
    'TOTAL            11.70',
    'Thank you for your visit!',
  ]
  const text = writing(receipt, { size: 18, font: 'DejaVu Sans Mono', left: 30, top: 40 })
  expect(await linesOf(await imageFile(420, 420, text))).toEqual(receipt.map((line) => line.replace(/ +/g, ' ')))
})

test('two columns are read one after the other', async () => {
  const left = ['Alpha one is the first', 'line of the left column', 'and it ends here.']
  const right = ['Beta two begins the right', 'column of this page and', 'goes on to the bottom.']
  const columns = writing(left, { size: 20 }) + writing(right, { size: 20, left: 500 })
  expect(await linesOf(await imageFile(900, 300, columns))).toEqual([...left, ...right])
})

test.each([-4, 8])('a page that leans by %d degrees is straightened', async (degrees) => {
  const lines = writing(TWO_LINES, { top: 140 })
  const page = await imageFile(900, 300, `<g transform="rotate(${degrees} 450 150)">${lines}</g>`)
  expect(await linesOf(page)).toEqual(TWO_LINES)
})

test.each([90, 180, 270])('a page that lies turned by %d degrees is read', async (degrees) => {
  const page = await imageFile(900, 120, writing(LINE))
  expect(await linesOf(await sharp(page).rotate(degrees).png().toBuffer())).toEqual(LINE)
})

test('JPEG and WebP are read, and light text on nothing', async () => {
  const page = await imageFile(900, 120, writing(LINE))
  expect(await linesOf(await sharp(page).jpeg().toBuffer())).toEqual(LINE)
  expect(await linesOf(await sharp(page).webp().toBuffer())).toEqual(LINE)
  const clear = await imageFile(900, 120, writing(LINE, { color: '#fff' }), 'none')
  expect(await linesOf(clear)).toEqual(LINE)
})

test('a stop sign is recognised, with its word', async () => {
  const description = await read(await imageFile(640, 480, STOP_SIGN, '#b7d4ee'))
  expect(description).toMatchObject({ text: 'STOP', width: 640, height: 480, hasDetector: true })
  expect(description.objects).toHaveLength(1)
  const { label, confidence, box } = description.objects[0]!
  expect(label).toBe('stop sign')
  expect(confidence).toBeGreaterThan(0.9)
  expect(Math.abs(box.left - 0.3)).toBeLessThan(0.05)
  expect(Math.abs(box.top - 0.13)).toBeLessThan(0.05)
  expect(Math.abs(box.width - 0.4)).toBeLessThan(0.08)
  expect(describeReading(description)).toMatch(/^Objects: 1 stop sign \(.*\)\.\n\nText in the image:\nSTOP$/)
})

test('pictures without text or things have neither', async () => {
  const stops = '<stop offset="0" stop-color="#446"/><stop offset="1" stop-color="#fb6"/>'
  const ground = `<linearGradient id="g" x2="1" y2="1">${stops}</linearGradient><rect width="400" height="300" fill="url(#g)"/>`
  expect(await read(await imageFile(400, 300, ground))).toMatchObject({ text: '', objects: [] })
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 }
  const grain = sharp({ create: { width: 400, height: 300, channels: 3, background: '#888', noise } })
  expect((await read(await grain.png().toBuffer())).text).toBe('')
})

test('the model that reads pictures answers a conversation', async () => {
  const engine = createEmbeddedChatEngine({ profile: 'lean', dataDir: path.resolve('.cache'), imageReader: reader })
  const url = `data:image/png;base64,${(await imageFile(900, 120, writing(LINE))).toString('base64')}`
  const messages = [{ role: 'user' as const, content: [{ type: 'image_url' as const, image_url: { url } }] }]
  const request = chatRequest({ model: 'image-reader', messages, maxTokens: 1_000 })
  const { text, reasons, usage } = await collect(engine.stream(request, new AbortController().signal))
  expect({ text, reasons }).toEqual({ text: `Text in the image:\n${LINE[0]}`, reasons: ['stop'] })
  expect(usage).toMatchObject({ inputTokens: (900 * 120) / 750 })
  expect(engine.state()).toContainEqual(expect.objectContaining({ model: 'image-reader', state: 'ready' }))
})

test('where the weights of the detector cannot be had, text is read, and nothing is said of objects', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'data-'))
  const server = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const alone = createImageReader({ dataDir })
  try {
    const description = await alone.read(await imageFile(640, 480, STOP_SIGN, '#b7d4ee'), new AbortController().signal)
    expect(description).toMatchObject({ text: 'STOP', objects: [], hasDetector: false })
  } finally {
    vi.unstubAllEnvs()
    server.close()
    await alone.close()
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('hostile pictures are refused, and the next one is read', async () => {
  const page = await imageFile(900, 120, writing(LINE))
  const huge = Buffer.from(page)
  huge.writeUInt32BE(20_000, 16)
  huge.writeUInt32BE(20_000, 20)
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"><text>Hi</text></svg>')
  for (const image of [page.subarray(0, page.length / 2), huge, svg, Buffer.from('no picture'), Buffer.alloc(0)]) {
    await expect(read(image)).rejects.toMatchObject({ name: 'EngineError', reason: 'invalid-request' })
  }
  expect(await linesOf(page)).toEqual(LINE)
})

// Reading the page to its end takes the minute that a page may take, and the next would wait for that.
test('an abort is heard and frees the place', { timeout: 55_000 }, async () => {
  const words = Array.from({ length: 180 }, (_, row) => `${row} ${[...LINES, ...LINES].join(' ')}`)
  const long = await imageFile(2000, 3900, writing(words, { size: 14 }))
  const abort = new AbortController()
  const description = read(long, abort.signal)
  setTimeout(() => abort.abort(new Error('left')), 600)
  await expect(description).rejects.toThrow('left')
  expect(await linesOf(await imageFile(900, 120, writing(LINE)))).toEqual(LINE)
  expect(reader.state()).toMatchObject({ state: 'ready', queuedRequests: 0 })
})
