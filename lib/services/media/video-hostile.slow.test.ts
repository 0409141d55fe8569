import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ffmpegPool } from '@/lib/services/media/decoder-pool'
import { imagePool } from '@/lib/services/media/image'
import { MediaError } from '@/lib/services/media/media-error'
import { readVideo } from '@/lib/services/media/recording'
import { videoKind } from '@/lib/services/media/sniff'
import { failureOf, longestWork, makeWithFfmpeg, mutated, testImage, tone } from '@/lib/services/media/testing'

const signal = new AbortController().signal
const read = (bytes: Uint8Array, frames = 2) => readVideo(bytes, { frames, hasSound: true, signal })
const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
const [videoFile, streamable, webm, tiny, long, huge] = makeWithFfmpeg(
  [...testImage('160x120', 3, 12), ...tone(3), ...x264, '-c:a', 'aac', 'a.mp4'],
  [...testImage('160x120', 3, 12), ...x264, '-movflags', 'faststart', 'a.mp4'],
  [...testImage('160x120', 3, 12), '-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', 'a.webm'],
  // A hundred thousand pictures in a tenth of a second.
  [
    '-f',
    'lavfi',
    '-i',
    'color=size=16x16:rate=1000000:duration=0.02',
    ...x264,
    '-video_track_timescale',
    '1000000',
    'a.mp4',
  ],
  ['-f', 'lavfi', '-i', 'color=size=64x64:rate=1:duration=700', ...x264, 'a.mp4'],
  ['-f', 'lavfi', '-i', 'color=size=5120x2880:rate=1:duration=1', ...x264, 'a.mp4'],
) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]

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
  ffmpegPool().close()
  imagePool().close()
  canary.close()
})

test('playlists are refused, whatever they are dressed as', async () => {
  const playlists = [
    `#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n${address}/a.ts\n`,
    `ffconcat version 1.0\nfile '${address}/a.mp4'\n`,
    `<?xml version="1.0"?><MPD><BaseURL>${address}/</BaseURL></MPD>`,
    `concat:${address}/a.mp4`,
    `v=0\no=- 0 0 IN IP4 127.0.0.1\nm=video 9 RTP/AVP 96\n`,
  ]
  for (const playlist of playlists) {
    const bytes = Buffer.from(playlist)
    expect(videoKind(bytes)?.mime).toBeUndefined()
    expect(await failureOf(read(bytes))).toMatchObject({ reason: 'unsupported' })
    for (const disguise of ['\0\0\0\x10ftypisom\0\0\0\0', '\0\0\x01\xba', '\x1aE\xdf\xa3\x87\x42\x82\x84webm']) {
      const failure = await failureOf(read(Buffer.concat([Buffer.from(disguise, 'latin1'), bytes])))
      expect(failure, disguise).toMatchObject({ reason: 'corrupt' })
      expect(failure.message).not.toContain(address)
    }
  }
  expect(visits).toBe(0)
})

test('a track that lies in another file is not fetched', async () => {
  const elsewhere = Buffer.from(videoFile)
  const at = elsewhere.indexOf('url ')
  expect(at).toBeGreaterThan(0)
  // The flag that says "in this file" is taken away.
  elsewhere.set([0, 0, 0, 0], at + 4)

  const outcome = await read(elsewhere).catch((error) => error)

  expect(outcome instanceof MediaError ? outcome.reason : outcome.mime).toBeOneOf(['corrupt', 'video/mp4'])
  expect(visits).toBe(0)
})

test.each<[string, string, Uint8Array]>([
  ['an empty file', 'unsupported', new Uint8Array()],
  ['a film without its index', 'corrupt', videoFile.subarray(0, videoFile.length / 2)],
  ['a film header alone', 'corrupt', videoFile.subarray(0, 40)],
  ['a film of twelve minutes', 'too-long', long],
  ['a film in 5K', 'too-large', huge],
  ['more than 25 MB', 'too-large', new Uint8Array(25_000_001)],
  ['an AVI file', 'unsupported', Buffer.from('RIFF\0\0\0\0AVI LIST')],
  ['a picture in the same container', 'unsupported', Buffer.from('\0\0\0\x18ftypavif\0\0\0\0mif1avif')],
])('%s is %s', async (_, reason, bytes) => {
  expect(await failureOf(read(bytes))).toMatchObject({ name: 'MediaError', reason })
})

test('a film that breaks off is read as far as it goes', async () => {
  const { frames } = await read(streamable.subarray(0, Math.floor(streamable.length * 0.7)), 4)

  expect(frames.length).toBeGreaterThanOrEqual(1)
})

test('a recording that states no length is measured', async () => {
  const bytes = Buffer.from(webm)
  const at = bytes.indexOf(Buffer.from([0x44, 0x89, 0x88]))
  expect(at).toBeGreaterThan(0)
  // "Duration" becomes "Void", of the same size.
  bytes[at] = 0xec

  const video = await read(bytes, 3)

  expect(video.seconds).toBeGreaterThan(2.8)
  expect(video.seconds).toBeLessThan(3.2)
  expect(video.frames).toHaveLength(3)
})

test('countless pictures in no time are bounded', async () => {
  const { frames, seconds } = await read(tiny, 1_000)

  expect(seconds).toBeLessThan(1)
  expect(frames.length).toBeGreaterThanOrEqual(1)
  expect(frames.length).toBeLessThanOrEqual(32)
})

test('a film that lies about its length is bounded', async () => {
  for (const [word, offset] of [
    ['mvhd', 20],
    ['mdhd', 20],
    ['tkhd', 24],
  ] as const) {
    for (const value of [0, 1, 0xffffffff]) {
      const bytes = Buffer.from(videoFile)
      bytes.writeUInt32BE(value, bytes.indexOf(word) + offset)
      const outcome = await read(bytes).catch((error) => error)
      expect(outcome instanceof MediaError ? outcome.reason : outcome.mime).toBeOneOf([
        'too-long',
        'corrupt',
        'video/mp4',
      ])
    }
  }
})

test('damaged films end in pictures or a clear refusal, and the server does its other work', async () => {
  const outcomes = new Set<string>()
  const pauseMs = await longestWork(async () => {
    for (const file of [videoFile, webm]) {
      for (let seed = 1; seed <= 3; seed++) {
        const outcome = await read(mutated(file, seed)).catch((error) => error)
        outcomes.add(outcome instanceof MediaError ? outcome.reason : (outcome.mime ?? String(outcome)))
      }
    }
  })
  const expected = ['video/mp4', 'video/webm', 'corrupt', 'too-long', 'too-large', 'unsupported']
  expect([...outcomes].filter((outcome) => !expected.includes(outcome))).toEqual([])
  expect(pauseMs).toBeLessThan(200)
  expect(await read(videoFile)).toMatchObject({ mime: 'video/mp4' })
})
