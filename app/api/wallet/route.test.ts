import { describe, expect, test } from 'vitest'
import { type GET as openRoute, POST } from '@/app/api/session/route'
import { GET } from '@/app/api/wallet/route'
import { HEAD as csvHead, GET as csvRoute } from '@/app/api/wallet/transactions.csv/route'
import type { WalletSummary } from '@/lib/contract/billing'
import { uuid } from '@/lib/contract/ids'
import { nano, type Usd, usd } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import { testWallet } from '@/lib/pipeline/testing'
import { findAccount } from '@/lib/services/identity/accounts'
import { allow, capture, credit, flushCharges, hold } from '@/lib/services/ledger/ledger'
import { chargeOfNano } from '@/lib/services/ledger/testing'

const database = await testDatabase()
const ORIGIN = 'http://localhost:3000'
const NO_PARAMS = { params: Promise.resolve({}) }

type Route = typeof openRoute
const call = (route: Route, path: string, headers: Record<string, string>, method = 'GET') =>
  route(new Request(ORIGIN + path, { method, headers: { origin: ORIGIN, ...headers } }), NO_PARAMS)
const cookieOf = (response: Response) => response.headers.get('set-cookie')!.split(';')[0]!

/** A browser whose wallet has signed in; the welcome credit of the sandbox is its first dollar. */
async function browser() {
  const wallet = testWallet()
  const opened = await call(POST, '/api/session', await wallet.signIn(), 'POST')
  expect(opened.status).toBe(200)
  const cookie = cookieOf(opened)
  const accountId = (await findAccount(wallet.address))!.id
  const show = async (): Promise<WalletSummary> => (await call(GET, '/api/wallet', { cookie })).json()
  return { wallet, cookie, accountId, show }
}

async function charge(accountId: string, amount: Usd): Promise<void> {
  await capture(await hold({ accountId, requestId: uuid(), amount }), chargeOfNano(amount))
}

const payment = (payer: string, state: string, minutesAgo: number, transaction: string | null = null) =>
  database.query(
    `insert into payment (id, key, network, payer, amount, state, transaction, created_at)
     values ($6, $1, 'eip155:8453', $2, 5250000, $3, $4, now() - make_interval(mins => $5))`,
    [uuid(), payer, state, transaction, minutesAgo, uuid()],
  )

describe('the summary', () => {
  test('of a new wallet has its welcome credit, and nothing that there is none of', async () => {
    const { wallet, cookie } = await browser()
    const response = await call(GET, '/api/wallet', { cookie })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({
      wallet: { kind: 'wallet', address: wallet.address, family: 'evm' },
      balance: { usd: 1, diem: 0, held: 0, canConsume: true },
      allowance: null,
      usage: { averageCost: null, answersLeft: null, spentToday: { usd: 0, diem: 0 } },
      topUps: [],
    })
  })

  test('of a guest has no wallet and no top-ups', async () => {
    const cookie = cookieOf(await call(POST, '/api/session', {}, 'POST'))
    const summary: WalletSummary = await (await call(GET, '/api/wallet', { cookie })).json()
    expect(summary.wallet).toEqual({ kind: 'guest', address: null, family: null })
    expect(summary.topUps).toEqual([])
  })

  test('says what an answer costs by the last twenty, and how many more there are', async () => {
    const { accountId, show } = await browser()
    await charge(accountId, usd('0.5'))
    await flushCharges()
    await database.query(`update usage_record set at = now() - interval '2 days' where account_id = $1`, [accountId])
    for (let n = 0; n < 20; n++) await charge(accountId, usd(n % 2 ? '0.002' : '0.001'))
    await hold({ accountId, requestId: 'r', amount: usd('0.1') })
    const { balance, usage } = await show()
    expect(balance).toMatchObject({ usd: 0.37, held: 0.1 })
    expect(usage).toEqual({ averageCost: 0.0015, answersLeft: 246, spentToday: { usd: 0.03, diem: 0 } })
  })

  test('keeps what the daily credit paid for apart', async () => {
    const { accountId, show } = await browser()
    await allow(accountId, '2030-01-01', usd('2'))
    await charge(accountId, usd('0.5'))
    await flushCharges()
    const { balance, usage } = await show()
    expect(balance).toMatchObject({ usd: 1, diem: 1.5 })
    expect(usage.spentToday).toEqual({ usd: 0, diem: 0.5 })
  })

  test('has the newest twenty payments of this wallet, those under way first', async () => {
    const { wallet, show } = await browser()
    await payment(wallet.address, 'settling', 90)
    await payment(wallet.address, 'credited', 1, '0xhash')
    for (let n = 0; n < 25; n++) await payment(wallet.address, 'failed', n + 2)
    await payment(testWallet().address, 'credited', 0)
    const { topUps } = await show()
    expect(topUps).toHaveLength(20)
    expect(topUps.slice(0, 3)).toMatchObject([
      { state: 'settling', amount: 5.25, transaction: null, network: 'eip155:8453' },
      { state: 'credited', transaction: '0xhash' },
      { state: 'failed' },
    ])
    expect(Date.parse(topUps[1]!.createdAt)).toBeLessThan(Date.now() - 59_000)
  })
})

describe('the download', () => {
  test('is a CSV file of the session’s own entries', async () => {
    const { cookie, accountId } = await browser()
    await charge(accountId, usd('0.25'))
    const response = await call(csvRoute, '/api/wallet/transactions.csv', { cookie })
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="transactions.csv"')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const lines = (await response.text()).trimEnd().split('\r\n')
    expect(lines.map((line) => line.split(',').slice(1, 5))).toEqual([
      ['type', 'amount_usd', 'currency', 'balance_after_usd'],
      ['CHARGE', '-0.250000000', 'USD', '0.750000000'],
      ['GRANT', '1.000000000', 'USD', '1.000000000'],
    ])
  })

  test('a guest has one too, and HEAD reads nothing of it', async () => {
    const cookie = cookieOf(await call(POST, '/api/session', {}, 'POST'))
    expect(await (await call(csvRoute, '/api/wallet/transactions.csv', { cookie })).text()).toContain(',GRANT,')
    const head = await call(csvHead, '/api/wallet/transactions.csv', { cookie }, 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})

describe.each([
  ['summary', GET, '/api/wallet'],
  ['download', csvRoute, '/api/wallet/transactions.csv'],
] as const)('the %s is for the page', (_, route, path) => {
  test('of this origin, with its session', async () => {
    const { cookie } = await browser()
    expect((await call(route, path, { cookie })).status).toBe(200)
    const strangers: Record<string, string>[] = [
      { cookie, origin: 'https://evil.example' },
      { cookie, origin: 'null' },
      { cookie: 'service_session=service_session_nonsense' },
      {},
    ]
    for (const headers of strangers) {
      const response = await call(route, path, headers)
      expect([response.status, (await response.json()).code]).toEqual([401, 'AUTHENTICATION_FAILED'])
    }
  })
})

test('a wallet sees its own money only', async () => {
  const [one, other] = [await browser(), await browser()]
  await credit({
    accountId: one.accountId,
    currency: 'USD',
    amount: nano(7n),
    kind: 'credit',
    idempotencyKey: uuid(),
  })
  expect((await one.show()).balance.usd).toBe(1.000000007)
  expect((await other.show()).balance.usd).toBe(1)
})
