import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { ffmpegPool } from '@/lib/services/media/decoder-pool'
import { imagePool } from '@/lib/services/media/image'
import { readVideo } from '@/lib/services/media/recording'
import { videoKind } from '@/lib/services/media/sniff'
import { failureOf, makeWithFfmpeg, pitchOf, testImage, tone } from '@/lib/services/media/testing'

const signal = new AbortController().signal
const both = [...testImage('320x180', 4), ...tone(4)]
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
const [mp4, mov, mpeg, webm, silent, large, audioOnly] = makeWithFfmpeg(
  [...both, ...x264, '-c:a', 'aac', '-shortest', 'a.mp4'],
  [...both, ...x264, '-c:a', 'pcm_s16le', '-shortest', 'a.mov'],
  [...both, '-c:v', 'mpeg1video', '-c:a', 'mp2', '-f', 'mpeg', 'a.mpeg'],
  [...both, '-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libvorbis', '-shortest', 'a.webm'],
  [...testImage('320x180', 2, 12), ...x264, 'a.mp4'],
  [...testImage('1920x1080', 1, 2), ...x264, 'a.mp4'],
  [...tone(2), '-c:a', 'aac', 'a.mp4'],
) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]

afterAll(() => {
  ffmpegPool().close()
  imagePool().close()
})

test.each([
  ['video/mp4', mp4],
  ['video/quicktime', mov],
  ['video/mpeg', mpeg],
  ['video/webm', webm],
])('%s gives pictures and sound', async (mime, bytes) => {
  expect(videoKind(bytes)?.mime).toBe(mime)

  const video = await readVideo(bytes, { frames: 4, hasSound: true, signal })

  expect(video.mime).toBe(mime)
  expect(video.seconds).toBeGreaterThan(3.9)
  expect(video.seconds).toBeLessThan(4.2)
  expect(video.frames.map(({ atSeconds }) => Math.round(atSeconds * 2) / 2)).toEqual([0.5, 1.5, 2.5, 3.5])
  for (const { image } of video.frames) {
    expect(image).toMatchObject({ width: 320, height: 180, mime: 'image/jpeg' })
    expect((await sharp(image.bytes).stats()).channels[0]?.stdev).toBeGreaterThan(40)
  }
  expect(video.sound?.seconds).toBeGreaterThan(3.9)
  expect(video.sound && pitchOf(video.sound)).toBeGreaterThan(420)
})

test('pictures are of different moments', async () => {
  const { frames } = await readVideo(silent, { frames: 3, hasSound: true, signal })

  const images = new Set(frames.map(({ image }) => Buffer.from(image.bytes).toString('base64')))
  expect(images.size).toBe(3)
})

test('sound is left out where there is none or it is not asked for', async () => {
  expect(await readVideo(silent, { frames: 1, hasSound: true, signal })).not.toHaveProperty('sound')
  expect(await readVideo(mp4, { frames: 1, hasSound: false, signal })).not.toHaveProperty('sound')
})

test('large pictures are scaled down to 1,024 pixels', async () => {
  const { frames } = await readVideo(large, { frames: 2, hasSound: false, signal })

  expect(frames.map(({ image }) => [image.width, image.height])).toEqual([
    [1024, 576],
    [1024, 576],
  ])
})

test('a film without pictures is corrupt', async () => {
  expect(await failureOf(readVideo(audioOnly, { frames: 1, hasSound: true, signal }))).toMatchObject({
    reason: 'corrupt',
  })
})
