import { expect, test } from 'vitest'
import { GET, POST } from '@/app/api/rpc/networks/route'
import type { RpcOverview } from '@/lib/contract/rpc-networks'
import { RPC_SLUGS } from '@/lib/contract/rpc-networks'
import { config } from '@/lib/kernel/config'
import { testNode, withNodes } from '@/lib/services/rpc-nodes/testing'

const url = 'http://localhost:3000/api/rpc/networks'
const get = (headers: Record<string, string>) => GET(new Request(url, { headers }), { params: Promise.resolve({}) })

test('the page gets the state of every network and the price of a credit', async () => {
  withNodes([await testNode()])
  const response = await get({ origin: config().origin })
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const overview = (await response.json()) as RpcOverview
  expect(overview.usdPerCredit).toBe(7e-7)
  expect(overview.networks.map(({ slug }) => slug).sort()).toEqual([...RPC_SLUGS])
  expect(overview.networks.find(({ slug }) => slug === 'ethereum-mainnet')).toMatchObject({
    state: 'up',
    height: 1_000,
  })
})

test('other origins are sent to the interface', async () => {
  const response = await get({ origin: 'https://elsewhere.example' })
  expect(response.status).toBe(403)
  expect(await response.json()).toMatchObject({ error: expect.stringContaining('/api/v1/crypto/rpc/networks') })
})

test('it is only read', async () => {
  const response = await POST(new Request(url, { method: 'POST' }), { params: Promise.resolve({}) })
  expect(response.status).toBe(405)
})
