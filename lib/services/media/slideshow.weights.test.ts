import sharp from 'sharp'
import { expect, test } from 'vitest'
import { slideshowPool } from '@/lib/services/media/decoder-pool'
import { SPEECH_RATE } from '@/lib/services/media/media-tasks'
import { readVideo } from '@/lib/services/media/recording'
import { videoKind } from '@/lib/services/media/sniff'

const image = async (background: string) => ({
  bytes: new Uint8Array(
    await sharp({ create: { width: 320, height: 200, channels: 3, background } })
      .jpeg()
      .toBuffer(),
  ),
  mime: 'image/jpeg' as const,
})
const meanColour = async (bytes: Uint8Array) =>
  (await sharp(bytes).stats()).channels.map(({ mean }) => Math.round(mean / 64))

test('two pictures and a voice become a film that a decoder reads: its length, its pictures, its sound and its captions', async () => {
  const signal = AbortSignal.timeout(60_000)
  const audio = Int16Array.from({ length: SPEECH_RATE }, (_, n) => Math.sin(n / 9) * 9_000)
  const { bytes } = await slideshowPool().run(
    {
      pictures: [await image('#ff0000'), await image('#0000ff')],
      sound: new Uint8Array(audio.buffer),
      captions: '1\n00:00:00,000 --> 00:00:01,000\nHigh water\n',
      width: 160,
      height: 96,
      seconds: 3,
    },
    signal,
  )
  expect(videoKind(bytes)?.mime).toBe('video/mp4')
  const video = await readVideo(bytes, { frames: 6, hasSound: true, signal })
  expect(video.seconds).toBeCloseTo(3, 1)
  expect(await meanColour(video.frames[0]!.image.bytes)).toEqual([4, 0, 0])
  expect(await meanColour(video.frames.at(-1)!.image.bytes)).toEqual([0, 0, 4])
  const loud = video.sound!.samples.subarray(0, 8_000).reduce((max, sample) => Math.max(max, Math.abs(sample)), 0)
  expect(loud).toBeGreaterThan(0.1)
  const text = Buffer.from(bytes).toString('latin1')
  for (const mark of ['avc1', 'mp4a', 'tx3g', 'High water']) expect(text).toContain(mark)
  // Players begin before the file is there: the index comes first.
  expect(text.indexOf('moov')).toBeLessThan(text.indexOf('mdat'))
}, 90_000)
