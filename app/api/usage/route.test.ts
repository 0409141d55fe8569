import { beforeAll, expect, test } from 'vitest'
import { POST as openSession } from '@/app/api/session/route'
import { GET } from '@/app/api/usage/route'
import { GET as csvRoute } from '@/app/api/usage/usage.csv/route'
import type { UsageSummary } from '@/lib/contract/billing'
import { dayOf } from '@/lib/contract/billing'
import { uuid } from '@/lib/contract/ids'
import { formatUsd, nano, perMillion, perUnit, usd, usdNumber } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import type { RouteHandler } from '@/lib/pipeline/route'
import { testWallet } from '@/lib/pipeline/testing'
import { findAccount } from '@/lib/services/identity/accounts'
import { createKey } from '@/lib/services/identity/api-keys'
import { capture, flushCharges, hold } from '@/lib/services/ledger/ledger'
import type { Charge } from '@/lib/services/ledger/ledger-types'
import { chargeOf } from '@/lib/services/ledger/meter'
import { installModels, textModel } from '@/lib/services/models/testing/models'

const database = await testDatabase()
const ORIGIN = 'http://localhost:3000'

beforeAll(() => installModels([textModel({ id: 'atlas', name: 'Atlas' })]))

const get = (route: RouteHandler, path: string, headers: Record<string, string>) =>
  route(new Request(ORIGIN + path, { headers: { origin: ORIGIN, ...headers } }), { params: Promise.resolve({}) })

/** A browser whose wallet has signed in, with the welcome credit of the sandbox. */
async function browser() {
  const wallet = testWallet()
  const headers = { origin: ORIGIN, ...(await wallet.signIn()) }
  const opened = await openSession(new Request(`${ORIGIN}/api/session`, { method: 'POST', headers }), {
    params: Promise.resolve({}),
  })
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  return { cookie, accountId: (await findAccount(wallet.address))!.id }
}

async function charge(accountId: string, what: Charge, keyId?: string) {
  await capture(await hold({ accountId, keyId, requestId: uuid(), amount: what.amount }), what)
  await flushCharges()
}

/** Odd amounts, so that a sum of doubles would show. */
const answer = (tokens: number): Charge => ({
  ...chargeOf([
    { sku: 'atlas-llm-input-mtoken', units: tokens, price: perMillion(0.1) },
    { sku: 'atlas-llm-output-mtoken', units: tokens * 3, price: perMillion(0.7) },
    { sku: 'web-search', units: 1, price: perUnit(0.01) },
  ]),
  modelId: 'atlas',
  modelType: 'LLM',
})

test('the sums by kind, model and key, the rows of the file, and the ledger are the same to the last digit', async () => {
  const { cookie, accountId } = await browser()
  const key = await createKey({ accountId, type: 'INFERENCE', description: 'night job' })
  for (let n = 1; n <= 9; n++) await charge(accountId, answer(1_000 + n * 7), n % 2 ? key.id : undefined)
  await charge(accountId, chargeOf([{ sku: 'crypto-rpc-base-mainnet', units: 13, price: perUnit(0.0000007) }]))

  const [row] = await database.query<{ sum: string }>(
    `select (-sum(e.amount))::text as sum from entry e join txn t on t.id = e.txn_id
     where e.account_id = $1 and t.kind = 'charge'`,
    [accountId],
  )
  const ledger = nano(BigInt(row!.sum))

  const response = await get(GET, '/api/usage?lookback=7d', { cookie })
  expect(response.headers.get('cache-control')).toBe('no-store')
  const summary: UsageSummary = await response.json()
  expect(summary.totals).toEqual({ usd: usdNumber(ledger), diem: 0, requests: 10 })
  expect(summary.days).toHaveLength(7)
  expect(summary.days.at(-1)).toBe(dayOf(Date.now()))
  expect(summary.month.usd).toBe(usdNumber(ledger))
  expect(summary.pace).toBe(usdNumber(nano(ledger / 7n)))
  for (const series of Object.values(summary.by)) {
    const sums = series.map((one) => usd(one.usd.toFixed(9)))
    expect(sums.reduce((total, part) => total + part, 0n)).toBe(ledger)
    const days = series.flatMap(({ daily }) => daily).map((amount) => usd(amount.toFixed(9)))
    expect(days.reduce((total, part) => total + part, 0n)).toBe(ledger)
  }
  expect(summary.by.kind.map(({ id }) => id)).toEqual(['web', 'chat', 'rpc'])
  expect(summary.by.model.map(({ name }) => name)).toEqual(['web-search', 'Atlas', 'crypto-rpc-base-mainnet'])
  expect(summary.by.key.map(({ id, name }) => [id, name])).toEqual([
    [key.id, 'night job'],
    ['', ''],
  ])

  const file = await get(csvRoute, '/api/usage/usage.csv?lookback=7d', { cookie })
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  const lines = (await file.text()).trim().split('\n').slice(1)
  expect(lines).toHaveLength(28)
  const sum = lines.reduce((total, line) => total - usd(line.split(',')[4]!), 0n)
  expect(formatUsd(nano(sum), 9)).toBe(formatUsd(ledger, 9))
})

test('is for the browser that is signed in, and for whole days that exist', async () => {
  expect((await get(GET, '/api/usage', {})).status).toBe(401)
  expect((await get(csvRoute, '/api/usage/usage.csv', {})).status).toBe(401)
  const { cookie } = await browser()
  expect((await get(GET, '/api/usage', { cookie, origin: 'https://elsewhere.test' })).status).toBe(401)
  expect((await get(GET, '/api/usage?startDate=2026-07-02&endDate=2026-07-01', { cookie })).status).toBe(400)
  const empty: UsageSummary = await (await get(GET, '/api/usage', { cookie })).json()
  expect(empty).toMatchObject({
    totals: { usd: 0, diem: 0, requests: 0 },
    by: { kind: [], model: [], key: [] },
    pace: 0,
  })
})
