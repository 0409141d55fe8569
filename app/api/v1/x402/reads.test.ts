import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GET as balanceRoute } from '@/app/api/v1/x402/balance/[walletAddress]/route'
import { GET as transactionsRoute } from '@/app/api/v1/x402/transactions/[walletAddress]/route'
import { uuid } from '@/lib/contract/ids'
import { nano, perUnit, type Usd, usd } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import { stopClock } from '@/lib/kernel/testing/time'
import { type TestWallet, testWallet } from '@/lib/pipeline/testing'
import { findAccount } from '@/lib/services/identity/accounts'
import { setEnvironment } from '@/lib/services/identity/testing'
import { allow, capture, credit, hold, release } from '@/lib/services/ledger/ledger'
import { chargeOfNano } from '@/lib/services/ledger/testing'

setEnvironment({ WELCOME_CREDIT_USD: '0' })
await testDatabase()

type Route = typeof balanceRoute
const NAMES = new Map<Route, string>([
  [balanceRoute, 'balance'],
  [transactionsRoute, 'transactions'],
])

/** Each test comes from an address of its own: failures are counted by address. */
let address = 0
const front = globalThis as { __serviceFront?: boolean }
beforeAll(() => {
  front.__serviceFront = true
})
afterAll(() => {
  front.__serviceFront = undefined
})
const from = () => ({ 'x-service-client-address': `10.1.${address++ >> 8}.${address & 255}` })

function read(route: Route, wallet: string, headers: Record<string, string> = {}, query = ''): Promise<Response> {
  const url = `http://localhost:3000/api/v1/x402/${NAMES.get(route)}/${encodeURIComponent(wallet)}${query}`
  const request = new Request(url, { headers: { ...from(), ...headers } })
  return route(request, { params: Promise.resolve({ walletAddress: wallet }) })
}

const readOwn = async (route: Route, wallet: TestWallet, query = '') =>
  read(route, wallet.address, await wallet.signIn(), query)

async function walletWith(amount: Usd) {
  const wallet = testWallet()
  expect((await readOwn(balanceRoute, wallet)).status).toBe(200)
  const accountId = (await findAccount(wallet.address))!.id
  if (amount > 0n) await give(accountId, amount, 'credit')
  return { ...wallet, accountId }
}
const give = (accountId: string, amount: Usd, kind: 'credit' | 'grant' | 'refund') =>
  credit({ accountId, currency: 'USD', amount, kind, idempotencyKey: uuid() })

test('the balance is one and the same in every body and header while a request runs, and after it', async () => {
  const wallet = await walletWith(usd('5'))
  const told = async () => {
    const [balance, transactions] = [await readOwn(balanceRoute, wallet), await readOwn(transactionsRoute, wallet)]
    const headers = [balance, transactions].flatMap((response) =>
      ['x-balance-remaining', 'x-service-balance-usd'].map((name) => Number(response.headers.get(name))),
    )
    return [...headers, (await balance.json()).data.balanceUsd, (await transactions.json()).data.currentBalance]
  }
  const running = await hold({ accountId: wallet.accountId, requestId: 'r', amount: usd('0.8') })
  expect(await told()).toEqual(Array(6).fill(4.2))
  await release(running)
  expect(await told()).toEqual(Array(6).fill(5))
})

describe('the balance', () => {
  test('has the fields of the contract and says what may be spent', async () => {
    const wallet = await walletWith(usd('12.5'))
    await hold({ accountId: wallet.accountId, requestId: 'r', amount: usd('0.25') })
    const response = await readOwn(balanceRoute, wallet)
    expect(await response.json()).toEqual({
      success: true,
      data: {
        walletAddress: wallet.address,
        balanceUsd: 12.25,
        canConsume: true,
        minimumTopUpUsd: 5,
        suggestedTopUpUsd: 10,
      },
    })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-balance-remaining')).toBe('12.250000')
    expect(response.headers.get('x-service-balance-usd')).toBe('12.250000')
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('30')
  })

  test('of a wallet that was never here is zero', async () => {
    const response = await readOwn(balanceRoute, testWallet())
    expect((await response.json()).data).toMatchObject({ balanceUsd: 0, canConsume: false })
  })

  test.each([
    ['0.099999999', '0', false],
    ['0.1', '0', true],
    ['0', '0.1', true],
    ['0.04', '0.05', false],
    ['0.04', '0.06', true],
  ])('%s USD and %s DIEM can begin a request: %s', async (credit, diem, canConsume) => {
    const wallet = await walletWith(usd(credit))
    await allow(wallet.accountId, '2030-01-01', usd(diem))
    const { data } = await (await readOwn(balanceRoute, wallet)).json()
    expect(data).toMatchObject({ balanceUsd: Number(credit), canConsume })
    expect(data.diemBalanceUsd).toBe(diem === '0' ? undefined : Number(diem))
  })

  test('takes any spelling of the wallet’s own address, and answers in its id', async () => {
    const wallet = await walletWith(usd('1'))
    for (const spelled of [wallet.account.address, wallet.address]) {
      const response = await read(balanceRoute, spelled, await wallet.signIn())
      expect((await response.json()).data).toMatchObject({ walletAddress: wallet.address, balanceUsd: 1 })
    }
  })
})

describe.each([
  ['balance', balanceRoute, 30],
  ['transactions', transactionsRoute, 20],
] as const)('who may read the %s', (_, route, perMinute) => {
  test('nobody without a proof', async () => {
    const response = await read(route, testWallet().address)
    expect([response.status, (await response.json()).code]).toEqual([401, 'X402_INVALID_SIGN_IN'])
  })

  test('nobody with a proof that proves nothing', async () => {
    const headers = await testWallet().signIn()
    for (const header of ['', 'no base64!', headers['SIGN-IN-WITH-X']!.slice(0, -8)]) {
      const response = await read(route, testWallet().address, { 'sign-in-with-x': header })
      expect([response.status, (await response.json()).code]).toEqual([401, 'X402_INVALID_SIGN_IN'])
    }
  })

  test('no other wallet', async () => {
    const response = await read(route, testWallet().address, await testWallet().signIn())
    expect([response.status, (await response.json()).code]).toEqual([403, 'X402_WALLET_MISMATCH'])
  })

  test('not a path that is no address', async () => {
    const wallet = testWallet()
    for (const path of ['0x12', `${wallet.address}0`, '0OIl'.repeat(10), 'me', "'; drop table entry"]) {
      const response = await read(route, path, await wallet.signIn())
      const body = await response.json()
      expect([response.status, body.code]).toEqual([400, 'INVALID_REQUEST'])
      expect(body.details.walletAddress._errors).toHaveLength(1)
    }
    expect((await read(route, 'me')).status).toBe(401)
  })

  test('the same proof again, while it is young', async () => {
    const wallet = testWallet()
    const proof = await wallet.signIn()
    for (let n = 0; n < 3; n++) expect((await read(route, wallet.address, proof)).status).toBe(200)
  })

  test('not more often than the contract says, counted by wallet', async () => {
    stopClock()
    const wallet = testWallet()
    const proof = await wallet.signIn()
    const statuses = []
    for (let n = 0; n <= perMinute; n++) statuses.push((await read(route, wallet.address, proof)).status)
    expect(statuses).toEqual([...Array(perMinute).fill(200), 429])
    expect((await readOwn(route, testWallet())).status).toBe(200)
  })
})

describe('the transactions', () => {
  test('have the shape of the contract', async () => {
    const wallet = await walletWith(usd('10'))
    const held = await hold({ accountId: wallet.accountId, requestId: 'chatcmpl-7f3a91c2', amount: usd('0.15') })
    await capture(held, { ...chargeOfNano(usd('0.15')), modelId: 'atlas-large' })
    const response = await readOwn(transactionsRoute, wallet)
    expect(await response.json()).toEqual({
      success: true,
      data: {
        walletAddress: wallet.address,
        currentBalance: 9.85,
        transactions: [
          {
            id: expect.stringMatching(/^ledger_/),
            amount: -0.15,
            balanceAfter: 9.85,
            type: 'CHARGE',
            createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
            requestId: 'chatcmpl-7f3a91c2',
            modelId: 'atlas-large',
            description: null,
          },
          {
            id: expect.stringMatching(/^ledger_/),
            amount: 10,
            balanceAfter: 10,
            type: 'TOP_UP',
            createdAt: expect.any(String),
            requestId: null,
            modelId: null,
            description: null,
          },
        ],
        pagination: { limit: 50, offset: 0, hasMore: false },
      },
    })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-balance-remaining')).toBe('9.850000')
  })

  test('say of JSON-RPC which methods were called where, of charges from before without their methods', async () => {
    const wallet = await walletWith(usd('1'))
    const line = { sku: 'crypto-rpc-arbitrum-mainnet', units: 380, price: perUnit(0.0000007), amount: nano(266_000n) }
    for (const more of [{}, { calls: { eth_call: 1, eth_blockNumber: 18 } }]) {
      const held = await hold({ accountId: wallet.accountId, requestId: uuid(), amount: usd('0.01') })
      await capture(held, { amount: line.amount, lines: [{ ...line, ...more }] })
    }
    const { data } = await (await readOwn(transactionsRoute, wallet)).json()
    expect(data.transactions.map((row: { description: string | null }) => row.description)).toEqual([
      'eth_blockNumber ×18, eth_call · Arbitrum',
      'JSON-RPC · Arbitrum',
      null,
    ])
  })

  test('come in pages', async () => {
    const wallet = await walletWith(usd('1'))
    for (let n = 0; n < 4; n++) await give(wallet.accountId, nano(BigInt(n) + 1n), 'refund')
    const { data } = await (await readOwn(transactionsRoute, wallet, '?limit=2&offset=1&unknown=1')).json()
    expect(data.pagination).toEqual({ limit: 2, offset: 1, hasMore: true })
    expect(data.transactions.map((row: { amount: number }) => row.amount)).toEqual([3e-9, 2e-9])
  })

  test.each(['limit=0', 'limit=101', 'limit=ten', 'limit=', 'limit=1.5', 'offset=-1', 'offset=10001', 'offset=1e3'])(
    'a page of %s is refused with its field',
    async (query) => {
      const wallet = testWallet()
      const response = await readOwn(transactionsRoute, wallet, `?${query}`)
      const body = await response.json()
      expect([response.status, body.code]).toEqual([400, 'INVALID_REQUEST'])
      expect(body.details[query.split('=')[0]!]._errors).toHaveLength(1)
    },
  )
})
