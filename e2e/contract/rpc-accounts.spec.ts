import { randomBytes } from 'node:crypto'
import { NANO_PER_CREDIT, priceOf, rpc, rpcContract } from '@/e2e/contract/rpc-stage'
import { expect, test } from '@/e2e/contract/shared-stage'
import { ask, expectError } from '@/e2e/testing/ask'
import { evmProof, newEvmAccount } from '@/e2e/testing/wallet-stage'

/** What the contract's crypto-rpc.md says of keys, limits and money, on the built server. */

const on = rpcContract()
const { call, balance } = on

test.describe('an idempotency key', () => {
  const newId = () => ({ 'idempotency-key': randomBytes(12).toString('hex') })

  test('brings the first reply again: no call, no charge, the same headers', async () => {
    on.base.say('eth_gasPrice', () => ({ result: `0x${randomBytes(4).toString('hex')}` }))
    const headers = newId()
    const first = await call('base-mainnet', rpc('eth_gasPrice'), headers)
    const [before, asked] = [await balance(), on.base.bodies.length]
    const second = await call('base-mainnet', rpc('eth_gasPrice'), headers)
    expect(second.text).toBe(first.text)
    expect(priceOf(second)).toEqual(priceOf(first))
    expect(second.headers.get('x-request-id')).toBe(first.headers.get('x-request-id'))
    expect([first, second].map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, 'true'])
    expect([await balance(), on.base.bodies.length]).toEqual([before, asked])
  })

  test('belongs to one request of one account', async () => {
    const headers = newId()
    await call('base-mainnet', rpc('eth_gasPrice'), headers)
    expectError(await call('base-mainnet', rpc('eth_getCode'), headers), 400, 'IDEMPOTENCY_KEY_REUSED')
    expectError(await call('zksync-mainnet', rpc('eth_gasPrice'), headers), 400, 'IDEMPOTENCY_KEY_REUSED')
    on.key = await on.stage.newKey()
    const other = await call('base-mainnet', rpc('eth_getCode'), headers)
    expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([200, null])
  })

  test('may have 255 letters, digits, - and _, and nothing else', async () => {
    const longest = 'aZ09-_'.padEnd(255, 'x')
    expect((await call('base-mainnet', rpc('eth_gasPrice'), { 'idempotency-key': longest })).status).toBe(200)
    for (const bad of [`${longest}x`, 'a b', 'a/b', 'a.b']) {
      expectError(await call('base-mainnet', rpc('eth_gasPrice'), { 'idempotency-key': bad }), 400, 'INVALID_REQUEST')
    }
  })

  test('does not keep what may pass: the next try is a new one', async () => {
    const headers = newId()
    on.base.say('eth_gasPrice', { status: 503, body: '' })
    expect((await call('base-mainnet', rpc('eth_gasPrice'), headers)).status).toBe(503)
    on.base.say('eth_gasPrice', { result: '0x7' })
    const again = await call('base-mainnet', rpc('eth_gasPrice'), headers)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null])
  })

  test('whose client left before the answer is charged once, and the answer is there', async () => {
    const before = await balance()
    const headers = newId()
    on.base.say('eth_getCode', { result: '0x60', afterMs: 600 })
    const leaving = fetch(`${on.stage.baseUrl}/crypto/rpc/base-mainnet`, {
      method: 'POST',
      headers: { authorization: `Bearer ${on.key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(rpc('eth_getCode')),
      signal: AbortSignal.timeout(200),
    })
    await expect(leaving).rejects.toThrow()
    await expect
      .poll(async () => (await call('base-mainnet', rpc('eth_getCode'), headers)).headers.get('idempotent-replayed'))
      .toBe('true')
    expect(before - (await balance())).toBe(20n * NANO_PER_CREDIT)
  })
})

test.describe('limits', () => {
  test('a hundred requests a minute; the next is told when to come back', async () => {
    test.setTimeout(60_000)
    on.key = await on.stage.newKey()
    // Not across the end of a minute.
    const left = 60_000 - (Date.now() % 60_000)
    if (left < 15_000) await new Promise((resolve) => setTimeout(resolve, left))
    const statuses = new Set<number>()
    for (let n = 0; n < 100; n++) statuses.add((await call('base-mainnet', rpc('eth_gasPrice'))).status)
    expect([...statuses]).toEqual([200])
    const answer = await call('base-mainnet', rpc('eth_gasPrice'))
    expectError(answer, 429, 'RATE_LIMIT_EXCEEDED')
    expect(answer.json.customMessage).toContain('100 requests a minute')
    expect(answer.headers.get('x-ratelimit-limit')).toBe('100')
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('0')
    const reset = Number(answer.headers.get('x-ratelimit-reset'))
    expect(reset - Date.now() / 1_000).toBeGreaterThan(0)
    expect(reset - Date.now() / 1_000).toBeLessThanOrEqual(60)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('one request at a time: the second waits half a second, then is sent back', async () => {
    on.base.say('eth_getCode', { result: '0x', afterMs: 1_500 })
    const slow = call('base-mainnet', rpc('eth_getCode'))
    await new Promise((resolve) => setTimeout(resolve, 200))
    const second = await call('zksync-mainnet', rpc('eth_gasPrice'))
    expectError(second, 429, 'RATE_LIMIT_EXCEEDED')
    expect(second.json.customMessage).toMatch(/at a time/)
    expect(second.headers.get('x-ratelimit-limit')).toBeNull()
    expect((await slow).status).toBe(200)
    on.base.say('eth_getCode', { result: '0x', afterMs: 200 })
    const both = await Promise.all([
      call('base-mainnet', rpc('eth_getCode')),
      call('base-mainnet', rpc('eth_gasPrice')),
    ])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
  })
})

test.describe('a wallet', () => {
  test('pays from its credit and sees what remains', async () => {
    const header = { 'sign-in-with-x': await evmProof(on.stage.baseUrl, newEvmAccount()) }
    const answer = await ask(on.stage, undefined, rpc('eth_gasPrice'), header, 'crypto/rpc/base-mainnet')
    // The sandbox welcomes a wallet with a dollar.
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-balance-remaining')).toBe('0.999986')
  })
})
