import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { shutdown } from '@/lib/kernel/shutdown'
import { Chunks, webResponse } from '@/lib/pipeline/reply'
import { createApi } from '@/server/api'
import { drain } from '@/server/drain'
import { createFront } from '@/server/front'

beforeEach(() => {
  // Each test is a process of its own, as far as stopping goes.
  resetPerProcess('shutdown')
})

async function streaming(parts: number, { obeys = true, onEnd = () => {} } = {}) {
  const api = createApi([
    {
      pattern: ['api'],
      module: {
        GET: async (request) => {
          let part = 0
          const body = new ReadableStream({
            async pull(controller) {
              await sleep(20)
              if (part++ < parts && !(obeys && shutdown().signal.aborted))
                return controller.enqueue(Buffer.from('part;'))
              controller.enqueue(Buffer.from(part > parts ? 'end' : 'stopped'))
              controller.close()
              onEnd()
            },
          })
          return webResponse(request, new Chunks(body, () => {}), { status: 200, headers: {} })
        },
      },
    },
  ])
  const front = createFront({ handlers: { probes: new Map(), api }, host: 'lagoon.test', trustedProxies: 0 })
  front.server.listen(0, '127.0.0.1')
  await once(front.server, 'listening')
  return { front, url: `http://127.0.0.1:${(front.server.address() as AddressInfo).port}/api` }
}

test('a stream that ends in time is whole, and the books close after it', async () => {
  const order: string[] = []
  const { front, url } = await streaming(10, { onEnd: () => order.push('stream') })
  const reply = await fetch(url)
  await drain({ ...front, closers: [{ name: 'ledger', close: () => order.push('ledger') }] })
  expect(await reply.text()).toBe(`${'part;'.repeat(10)}end`)
  expect(order).toEqual(['stream', 'ledger'])
})

test('readiness is off at once, and a stream that goes on is told to stop', async () => {
  const { front, url } = await streaming(10_000)
  const reply = await fetch(url)
  const done = drain({ ...front, closers: [] }, { stopAfterMs: 100 })
  expect(shutdown().isDraining).toBe(true)
  expect(await reply.text()).toMatch(/^(part;)+stopped$/)
  await done
})

test('the listener stays open for the grace after readiness is off', async () => {
  const { front, url } = await streaming(1)
  const done = drain({ ...front, closers: [] }, { graceMs: 400 })
  expect(shutdown().isDraining).toBe(true)
  expect(await (await fetch(url)).text()).toBe('part;end')
  await done
  await expect(fetch(url)).rejects.toThrow()
})

test('a stream that does not stop is cut off', async () => {
  const { front, url } = await streaming(10_000, { obeys: false })
  const reply = await fetch(url)
  const text = expect(reply.text()).rejects.toThrow()
  await drain({ ...front, closers: [] }, { stopAfterMs: 50, cutAfterMs: 150 })
  await text
})

test('one that fails to close does not keep the next from closing', async () => {
  const { front } = await streaming(1)
  const closed: string[] = []
  await drain({
    ...front,
    closers: [
      { name: 'engines', close: () => Promise.reject(new Error('no')) },
      { name: 'database', close: () => closed.push('database') },
    ],
  })
  expect(closed).toEqual(['database'])
})
