import { createServer } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { countsInRedis, openRedis } from '@/lib/services/limits/redis'
import { inBlocks } from '@/lib/services/limits/window-blocks'

const END = 4_000_000_020_000

afterEach(() => void vi.useRealTimers())

/** No timer goes off any more: whoever waits for one waits longer than a test may take. */
const stopTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

test('without Redis a process keeps the limits by itself, and waits for nothing', async () => {
  const redis = openRedis('redis://127.0.0.1:1')
  const windows = inBlocks(countsInRedis(redis))
  await windows.take('first', 1, END)
  stopTime()
  const takes = await Promise.all(Array.from({ length: 30 }, () => windows.take('a', 20, END)))
  expect(takes.filter(({ isAllowed }) => isAllowed)).toHaveLength(20)
  redis.close()
})

test('a Redis that takes connections and never answers costs a quarter of a second, once', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const address = silent.address()
  const redis = openRedis(`redis://127.0.0.1:${typeof address === 'object' && address?.port}`)
  const windows = inBlocks(countsInRedis(redis))
  // Redis never answers the first, and only a limit of ours can end that wait; the others wait for nothing.
  expect(await windows.take('a', 20, END)).toMatchObject({ isAllowed: true })
  stopTime()
  for (let n = 1; n < 20; n++) expect(await windows.take('a', 20, END)).toMatchObject({ isAllowed: true })
  redis.close()
  silent.close()
})
