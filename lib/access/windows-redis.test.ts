import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { inBlocks } from '@/lib/access/window-blocks'
import { sharedByRedis } from '@/lib/access/windows-redis'

const END = 4_000_000_020_000

test('without Redis a process keeps the limits by itself, and waits for nothing', async () => {
  const counter = sharedByRedis('redis://127.0.0.1:1')
  const windows = inBlocks(counter)
  await windows.take('first', 1, END)
  const startedAt = performance.now()
  const takes = await Promise.all(Array.from({ length: 30 }, () => windows.take('a', 20, END)))
  expect(takes.filter(({ isAllowed }) => isAllowed)).toHaveLength(20)
  expect(performance.now() - startedAt).toBeLessThan(100)
  counter.close()
})

test('a Redis that takes connections and never answers costs a quarter of a second, once', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const address = silent.address()
  const counter = sharedByRedis(`redis://127.0.0.1:${typeof address === 'object' && address?.port}`)
  const startedAt = performance.now()
  const windows = inBlocks(counter)
  for (let n = 0; n < 20; n++) expect(await windows.take('a', 20, END)).toMatchObject({ isAllowed: true })
  expect(performance.now() - startedAt).toBeLessThan(1_000)
  counter.close()
  silent.close()
})
