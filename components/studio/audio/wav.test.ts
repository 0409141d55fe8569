import { expect, test } from 'vitest'
import { closeWav, PCM_RATE, wavFormat, wavOfPcm } from '@/components/studio/audio/wav'
import { readWav } from '@/lib/services/media/wav'

const SAMPLES = new Uint8Array(Int16Array.from([1, -2, 3, -4]).buffer)
const bytesOf = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer())

test('bare samples become a file that is read as what they are', async () => {
  const file = wavOfPcm(new Blob([SAMPLES]))
  expect(readWav(await bytesOf(file))).toMatchObject({ rate: PCM_RATE, channels: 1, bytes: SAMPLES })
  expect(wavFormat(await bytesOf(file))).toEqual({ rate: PCM_RATE, start: 44 })
})

test('a file that did not know its length when it began is told it', async () => {
  const open = await bytesOf(wavOfPcm(new Blob([SAMPLES]), 16_000))
  const view = new DataView(open.buffer)
  view.setUint32(4, 0xffff_ffff, true)
  view.setUint32(40, 0xffff_ffff, true)
  const closed = await bytesOf(await closeWav(new Blob([open], { type: 'audio/wav' })))
  const head = new DataView(closed.buffer)
  expect([head.getUint32(4, true), head.getUint32(40, true), closed.length]).toEqual([44, 8, 52])
  expect(readWav(closed)).toMatchObject({ rate: 16_000, bytes: SAMPLES })
})

test('what is no such file stays as it is', async () => {
  const other = new Blob(['RIFF of something else entirely, and long enough for a head'])
  expect(await closeWav(other)).toBe(other)
  expect(wavFormat(new Uint8Array(10))).toBeUndefined()
})
