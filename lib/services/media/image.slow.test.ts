import sharp, { type Region } from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { imageOfPixels, imagePool, type PreparedImage, prepareImage } from '@/lib/services/media/image'
import { failureOf, makeHeic } from '@/lib/services/media/testing'

const signal = new AbortController().signal
const photo = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: '#204060', noise: { type: 'gaussian', mean: 120, sigma: 40 } },
  })
const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#c02040' } })
const prepare = (bytes: Uint8Array) => prepareImage(bytes, { signal })

async function colourOf({ bytes }: PreparedImage, region: Region): Promise<'red' | 'blue' | 'neither'> {
  const { channels } = await sharp(await sharp(bytes).extract(region).toBuffer()).stats()
  const [red = 0, , blue = 0] = channels.map((channel) => channel.mean)
  return red > blue + 100 ? 'red' : blue > red + 100 ? 'blue' : 'neither'
}

afterAll(() => imagePool().close())

test.each(['png', 'jpeg', 'webp', 'avif', 'gif'] as const)('%s is read', async (format) => {
  const image = await prepare(await plain(320, 200).toFormat(format).toBuffer())

  expect(image).toMatchObject({ width: 320, height: 200 })
  const { dominant } = await sharp(image.bytes).stats()
  expect(dominant.r).toBeGreaterThan(dominant.b + 80)
})

test('heic is read, and turned as it says', async () => {
  const image = await prepare(makeHeic())
  const turned = await prepare(makeHeic({ turns: 1 }))

  expect(image).toMatchObject({ width: 128, height: 96 })
  expect(turned).toMatchObject({ width: 96, height: 128 })
  expect(await colourOf(image, { left: 0, top: 0, width: 128, height: 60 })).toBe('red')
  expect(await colourOf(image, { left: 0, top: 68, width: 128, height: 28 })).toBe('blue')
  // What was above is on the left.
  expect(await colourOf(turned, { left: 0, top: 0, width: 60, height: 128 })).toBe('red')
  expect(await colourOf(turned, { left: 68, top: 0, width: 28, height: 128 })).toBe('blue')
})

test('a picture of 64 pixels is taken, one of 63 is not', async () => {
  expect(await prepare(await plain(64, 64).png().toBuffer())).toMatchObject({ width: 64, height: 64 })
  for (const size of [
    [63, 64],
    [64, 63],
    [1, 1],
    [4000, 63],
  ] as [number, number][]) {
    expect(
      await failureOf(
        prepare(
          await plain(...size)
            .png()
            .toBuffer(),
        ),
      ),
    ).toMatchObject({ reason: 'too-small' })
  }
})

test('a long picture is scaled down to 2,048 pixels', async () => {
  expect(await prepare(await photo(2600, 1300).jpeg().toBuffer())).toMatchObject({ width: 2048, height: 1024 })
  expect(await prepare(await photo(2048, 200).jpeg().toBuffer())).toMatchObject({ width: 2048, height: 200 })
})

test('a turned photograph is set upright and its metadata is gone', async () => {
  const bytes = await plain(100, 200)
    .extend({ right: 200, background: '#2040c0' })
    .withExif({ IFD0: { Copyright: 'someone at home' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  expect(Buffer.from(bytes).includes('someone at home')).toBe(true)

  const image = await prepare(bytes)

  expect(image).toMatchObject({ width: 200, height: 300 })
  // What was on the left is above.
  expect(await colourOf(image, { left: 0, top: 0, width: 200, height: 90 })).toBe('red')
  expect(await colourOf(image, { left: 0, top: 110, width: 200, height: 190 })).toBe('blue')
  const metadata = await sharp(image.bytes).metadata()
  expect(metadata.orientation).toBeUndefined()
  expect(metadata.exif).toBeUndefined()
  expect(metadata.icc).toBeUndefined()
})

test('a transparent picture stands on white', async () => {
  const clear = sharp({ create: { width: 100, height: 100, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })

  const image = await prepare(await clear.png().toBuffer())

  const { channels } = await sharp(image.bytes).stats()
  expect(channels.map((channel) => channel.min)).toEqual([255, 255, 255])
})

test('a drawing stays exact, a photograph becomes JPEG', async () => {
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><path d="M9 9h200v99z"/></svg>'
  const exact = await prepare(
    await sharp(Buffer.from(drawing)).flatten({ background: '#fff' }).threshold(128).png().toBuffer(),
  )
  const photograph = await prepare(await photo(400, 300).png().toBuffer())

  expect(exact.mime).toBe('image/png')
  expect(photograph.mime).toBe('image/jpeg')
})

test('of an animation the first frame is read', async () => {
  const frames = await Promise.all(
    ['#ff0000', '#0000ff', '#00ff00'].map((background) =>
      sharp({ create: { width: 80, height: 80, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  )
  for (const format of ['gif', 'webp'] as const) {
    const animation = await sharp(frames, { join: { animated: true } })
      .toFormat(format)
      .toBuffer()

    const image = await prepare(animation)

    expect((await sharp(animation).metadata()).pages).toBe(3)
    expect(image).toMatchObject({ width: 80, height: 80 })
    const { channels } = await sharp(image.bytes).stats()
    expect(channels[0]?.mean).toBeGreaterThan(240)
    expect(channels[2]?.mean).toBeLessThan(15)
  }
})

test('grey, CMYK and 16-bit pictures become plain colour', async () => {
  const grey = await photo(100, 100).greyscale().png().toBuffer()
  const cmyk = await photo(100, 100).toColourspace('cmyk').jpeg().toBuffer()
  const deep = await photo(100, 100).toColourspace('rgb16').png().toBuffer()
  for (const bytes of [grey, cmyk, deep]) {
    const metadata = await sharp((await prepare(bytes)).bytes).metadata()
    expect(metadata).toMatchObject({ space: 'srgb', depth: 'uchar', channels: 3 })
  }
})

test('pixels become a picture', async () => {
  const bytes = await plain(90, 70).raw().toBuffer()

  expect(await imageOfPixels({ bytes, width: 90, height: 70 }, { signal })).toMatchObject({ width: 90, height: 70 })
})
