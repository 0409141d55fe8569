import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createProbes, type ProbeOptions } from '@/server/probes'

const TOKEN = 'a-token-of-some-length'
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function watch(options: Partial<ProbeOptions>) {
  const probes = createProbes({
    isReady: async () => true,
    metrics: async () => 'up 1\n',
    metricsToken: TOKEN,
    ...options,
  })
  const server = createServer((request, response) => probes.get(request.url ?? '')?.(request, response)).listen(
    0,
    '127.0.0.1',
  )
  servers.push(server)
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return (path: string, authorization?: string) =>
    fetch(origin + path, { headers: { connection: 'close', ...(authorization && { authorization }) } })
}

test('alive and ready are two things', async () => {
  const get = await watch({ isReady: async () => false })
  expect((await get('/healthz')).status).toBe(200)
  expect((await get('/readyz')).status).toBe(503)
})

test('metrics need their token', async () => {
  const get = await watch({})
  const good = await get('/metrics', `Bearer ${TOKEN}`)
  expect([good.status, await good.text()]).toEqual([200, 'up 1\n'])
  for (const wrong of [undefined, 'Bearer ', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN]) {
    expect((await get('/metrics', wrong)).status).toBe(401)
  }
})

test('without a token there are no metrics', async () => {
  const get = await watch({ metricsToken: undefined })
  expect((await get('/metrics', 'Bearer undefined')).status).toBe(404)
})

test('metrics that cannot be read are a 503, not a crash', async () => {
  const get = await watch({ metrics: () => Promise.reject(new Error('no database')) })
  expect((await get('/metrics', `Bearer ${TOKEN}`)).status).toBe(503)
})
