import { expect, test } from 'vitest'
import { GET, POST } from '@/app/api/sandbox/faucet/route'
import { USDC_EVM, USDC_SOLANA } from '@/lib/contract/chains'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { withEnvironment } from '@/lib/services/identity/testing'
import { countVisit } from '@/lib/services/payments/faucet'
import { testChains } from '@/sandbox/testing'

const chains = await testChains()
const ORIGIN = 'http://localhost:3000'
const EVM = '0x90F8bf6A479f320ead074411a4B0e7944Ea8c9C1'
const SOLANA = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'

const call = (body: unknown, origin = ORIGIN) =>
  POST(
    new Request(`${ORIGIN}/api/sandbox/faucet`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    { params: Promise.resolve({}) },
  )

async function ask<T>(url: string, method: string, params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await response.json()) as { result: T }).result
}

test('an EVM address gets 25 USDC, ether for fees and tokens to stake', async () => {
  const response = await call({ address: EVM })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ funded: 25, address: EVM })
  const { evmUrl, staking } = chains.sandbox
  const balanceOf = async (token: string) =>
    BigInt(
      await ask<string>(evmUrl, 'eth_call', [
        { to: token, data: `0x70a08231${EVM.slice(2).toLowerCase().padStart(64, '0')}` },
        'latest',
      ]),
    )
  expect(await balanceOf(USDC_EVM)).toBe(25_000_000n)
  expect(await balanceOf(staking.token)).toBe(25n * 10n ** 18n)
  expect(BigInt(await ask<string>(evmUrl, 'eth_getBalance', [EVM, 'latest']))).toBeGreaterThan(0n)
})

test('a Solana address gets 25 USDC', async () => {
  expect(await (await call({ address: SOLANA })).json()).toEqual({ funded: 25, address: SOLANA })
  const { value } = await ask<{ value: object[] }>(chains.sandbox.solanaUrl, 'getTokenAccountsByOwner', [
    SOLANA,
    { mint: USDC_SOLANA },
    { encoding: 'jsonParsed' },
  ])
  expect(value).toMatchObject([{ account: { data: { parsed: { info: { tokenAmount: { uiAmount: 25 } } } } } }])
})

test.each([
  '',
  `0x${'0'.repeat(40)}`,
  '0x90f8',
  '0x90F8BF6A479f320ead074411a4B0e7944Ea8c9C1',
  '1111',
  'l'.repeat(40),
  7,
])('what is no address is refused: %j', async (address) => {
  const response = await call({ address })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'INVALID_REQUEST' })
})

test('no other site can use it, and where money is real there is none', async () => {
  expect((await call({ address: EVM }, 'https://evil.example')).status).toBe(403)
  await withEnvironment({ SANDBOX: 'off' }, async () => {
    expect((await call({ address: EVM })).status).toBe(404)
  })
  const got = await GET(new Request(`${ORIGIN}/api/sandbox/faucet`), { params: Promise.resolve({}) })
  expect(got.status).toBe(405)
})

test('an address can visit 20 times an hour, and all together 200 times', () => {
  const nowMs = Date.UTC(2031, 0, 1)
  const address = '0x000000000000000000000000000000000000fa01'
  resetPerProcess('faucet-visits')
  for (let visit = 0; visit < 20; visit++) countVisit(address, nowMs)
  const refused = { code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 3_600 }
  expect(() => countVisit(address.replace('fa', 'FA'), nowMs)).toThrow(expect.objectContaining(refused))
  for (let visit = 0; visit < 180; visit++) countVisit(`0x${visit.toString(16).padStart(40, '0')}`, nowMs)
  expect(() => countVisit('0x000000000000000000000000000000000000fa02', nowMs)).toThrow('faucet')
  resetPerProcess('faucet-visits')
})

test('when the chains died the answer says so', async () => {
  await chains.stop()
  const response = await call({ address: EVM })
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
})
