import { expect, test } from 'vitest'
import { closeProcessPools } from '@/lib/kernel/process-pool/pool'
import type { TestTask } from '@/lib/kernel/testing/child-entry'
import { createDecoderPool, createFfmpegPool } from '@/lib/services/media/decoder-pool'
import { failureOf } from '@/lib/services/media/testing'

const never = new AbortController().signal
const settings = { places: 1, maxQueued: 0, maxResidentBytes: 200_000_000, idleMs: 60_000 }

test.each<[string, TestTask, string, RegExp]>([
  ['is killed', { do: 'die', by: 'SIGKILL' }, 'unavailable', /Try again/],
  ['crashes', { do: 'die', by: 'SIGSEGV' }, 'corrupt', /the thing.*damaged/i],
  ['never ends', { do: 'spin' }, 'timeout', /longer than 1 seconds/],
  ['takes too much memory', { do: 'hold-and-spin', bytes: 300_000_000 }, 'too-large', /Send a smaller one/],
])('a decoder that %s says so in a MediaError', async (_, task, reason, message) => {
  const room = createDecoderPool<TestTask, unknown>({
    noun: 'thing',
    entry: 'kernel/testing/child-entry.ts',
    deadlineMs: reason === 'timeout' ? 1_000 : 20_000,
    ...settings,
  })

  const failing = failureOf(room.run(task, never))
  const refused = failureOf(room.run(task, never))

  expect(await refused).toMatchObject({ name: 'MediaError', reason: 'busy' })
  expect(await failing).toMatchObject({ name: 'MediaError', reason, message: expect.stringMatching(message) })
  await closeProcessPools()
})

test('without its package, ffmpeg is not available', async () => {
  const room = createFfmpegPool('@ffmpeg/not-installed')

  const failure = await failureOf(room.run({ type: 'sound', bytes: new Uint8Array(9), demuxer: 'mp3' }, never))

  expect(failure).toMatchObject({ reason: 'unavailable' })
  expect(failure.message).toContain('not available on this server')
  await room.close()
})
