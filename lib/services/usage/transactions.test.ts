import { describe, expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano, pico } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import { allow, capture, credit, debit, hold } from '@/lib/services/ledger/ledger'
import { makeAccount } from '@/lib/services/ledger/testing'
import { cell, exportTransactions } from '@/lib/services/usage/csv'
import { describeRpc, listTransactions } from '@/lib/services/usage/transactions'

const database = await testDatabase()
const FIRST = { limit: 50, offset: 0 }

/** Charges one request whose lines cost these amounts. */
async function charge(accountId: string, lines: Record<string, bigint>, modelId = 'atlas') {
  const amount = nano(Object.values(lines).reduce((sum, cost) => sum + cost, 0n))
  const requestId = `chatcmpl-${uuid()}`
  const held = await hold({ accountId, requestId, amount })
  const priced = Object.entries(lines).map(([sku, cost]) => ({
    sku,
    units: 1,
    price: pico(cost * 1000n),
    amount: nano(cost),
  }))
  await capture(held, { amount, lines: priced, modelId, promptTokens: 12, completionTokens: 3 })
  return requestId
}

const give = (
  accountId: string,
  amount: bigint,
  kind: 'credit' | 'grant' | 'refund',
  idempotencyKey: string = uuid(),
) => credit({ accountId, currency: 'USD', amount: nano(amount), kind, idempotencyKey })

const brief = async (accountId: string, page = FIRST) =>
  (await listTransactions(accountId, page)).transactions.map((row) => [row.type, row.amount, row.balanceAfter])

describe('the list', () => {
  test('shows what came and went, newest first, with the balance after each', async () => {
    const account = await makeAccount(database)
    await give(account, 1_000n, 'grant')
    await give(account, 5_000n, 'credit')
    const requestId = await charge(account, { 'atlas-llm-input-mtoken': 10n, 'atlas-llm-output-mtoken': 32n })
    await give(account, 42n, 'refund')
    await debit({
      accountId: account,
      currency: 'USD',
      maxNanoUsd: nano(5_000n),
      kind: 'reversal',
      idempotencyKey: uuid(),
    })
    const { currentBalance, transactions, hasMore } = await listTransactions(account, FIRST)
    expect([currentBalance, hasMore]).toEqual([1_000n, false])
    expect(transactions).toMatchObject([
      { type: 'TOP_UP', amount: -5_000n, balanceAfter: 1_000n, requestId: null, modelId: null },
      { type: 'REFUND', amount: 42n, balanceAfter: 6_000n },
      { type: 'CHARGE', amount: -42n, balanceAfter: 5_958n, requestId, modelId: 'atlas' },
      { type: 'TOP_UP', amount: 5_000n, balanceAfter: 6_000n, requestId: null, modelId: null },
      { type: 'TOP_UP', amount: 1_000n, balanceAfter: 1_000n, requestId: null, modelId: null },
    ])
    for (const { id, createdAt } of transactions) {
      expect(id).toMatch(/^ledger_[0-9a-f]{32}$/)
      expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }
  })

  test('a request that paid for several things has a row for each, under one request', async () => {
    const account = await makeAccount(database, { USD: 100n })
    const lines = {
      'atlas-llm-input-mtoken': 1n,
      'web-search': 10n,
      'atlas-llm-output-mtoken': 2n,
      'atlas-llm-cache-read-mtoken': 0n,
    }
    const requestId = await charge(account, lines)
    const { transactions } = await listTransactions(account, FIRST)
    expect(transactions).toMatchObject([
      { amount: -10n, balanceAfter: 87n, requestId, modelId: 'atlas' },
      { amount: -3n, balanceAfter: 97n, requestId, modelId: 'atlas' },
      { amount: 100n, balanceAfter: 100n },
    ])
    expect(new Set(transactions.map(({ id }) => id)).size).toBe(3)
  })

  test('pages of any size join up, also in the middle of a request', async () => {
    const account = await makeAccount(database, { USD: 1_000n })
    for (let n = 0; n < 5; n++) await charge(account, { 'atlas-llm-output-mtoken': 5n, 'web-search': 10n })
    const all = await brief(account)
    expect(all).toHaveLength(11)
    for (const limit of [1, 2, 3, 4]) {
      const joined = []
      for (let offset = 0; ; offset += limit) {
        const page = await listTransactions(account, { limit, offset })
        expect(page.currentBalance).toBe(925n)
        joined.push(...page.transactions.map((row) => [row.type, row.amount, row.balanceAfter]))
        if (!page.hasMore) break
      }
      expect(joined).toEqual(all)
    }
    expect(await listTransactions(account, { limit: 5, offset: 400 })).toEqual({
      currentBalance: 925n,
      transactions: [],
      hasMore: false,
    })
  })

  test('a row is the one before it and its amount, bundled credits and held money included', async () => {
    const account = await makeAccount(database, { USD: 100n, BUNDLED_CREDITS: 30n })
    await charge(account, { 'web-search': 20n })
    await charge(account, { 'web-search': 40n })
    await hold({ accountId: account, requestId: 'r', amount: nano(5n) })
    const { currentBalance, transactions } = await listTransactions(account, FIRST)
    expect(currentBalance).toBe(65n)
    let balance = 0n
    for (const row of transactions.toReversed()) {
      balance += row.amount
      expect(row.balanceAfter).toBe(balance)
    }
    // Nothing has moved for the request that still runs.
    expect(balance).toBe(70n)
  })

  test('the daily credit, and what it paid for, is not part of it', async () => {
    const account = await makeAccount(database, { USD: 100n })
    await allow(account, '2030-01-01', nano(50n))
    await charge(account, { 'web-search': 20n })
    await allow(account, '2030-01-02', nano(50n))
    expect(await brief(account)).toEqual([['TOP_UP', 100n, 100n]])
  })

  test('what the house wrote off is not shown', async () => {
    const account = await makeAccount(database, { USD: 10n })
    const held = await hold({ accountId: account, requestId: 'r', amount: nano(10n) })
    await capture(held, { amount: nano(30n), lines: [], modelId: 'atlas' })
    expect(await brief(account)).toEqual([
      ['CHARGE', -10n, 0n],
      ['TOP_UP', 10n, 10n],
    ])
  })

  test('an account without movements has an empty list', async () => {
    expect(await listTransactions(await makeAccount(database), FIRST)).toEqual({
      currentBalance: 0n,
      transactions: [],
      hasMore: false,
    })
  })
})

describe('the export', () => {
  const read = async (accountId: string) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of exportTransactions(accountId)) chunks.push(chunk)
    const lines = Buffer.concat(chunks).toString().split('\r\n')
    expect(lines.pop()).toBe('')
    return { chunks: chunks.length, header: lines[0], rows: lines.slice(1).map((line) => line.split(',')) }
  }

  test('has every entry in every currency, with what it was for', async () => {
    const account = await makeAccount(database)
    await allow(account, '2030-01-01', nano(5_000_000_000n))
    const key = `eip155:8453:0xasset:0xfrom:${uuid()}`
    await database.query(
      `insert into payment (id, key, network, payer, amount, state, transaction)
       values ($1, $2, 'eip155:8453', '0xfrom', 7000000, 'credited', '0xhash')`,
      [uuid(), key],
    )
    await give(account, 7_000_000_000n, 'credit', `topup:${key}`)
    await give(account, 1_000_000_000n, 'credit', `topup:${key}:again:2`)
    const requestId = await charge(account, { 'web-search': 1_500_000_000n })
    const { header, rows } = await read(account)
    expect(header).toBe(
      'time,type,amount_usd,currency,balance_after_usd,model,request_id,input_tokens,output_tokens,transaction,network',
    )
    expect(rows.map(([, ...rest]) => rest)).toEqual([
      ['CHARGE', '-1.500000000', 'DIEM', '3.500000000', 'atlas', requestId, '12', '3', '', ''],
      ['TOP_UP', '1.000000000', 'USD', '8.000000000', '', '', '', '', '0xhash', 'eip155:8453'],
      ['TOP_UP', '7.000000000', 'USD', '7.000000000', '', '', '', '', '0xhash', 'eip155:8453'],
      ['GRANT', '5.000000000', 'DIEM', '5.000000000', '', '', '', '', '', ''],
    ])
    expect(rows[0]?.[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  test('comes in pages that are read one by one, and misses or repeats nothing', async () => {
    const account = await makeAccount(database)
    await database.query(
      `select credit($1::uuid, 'USD', 1::bigint, 'grant', 'promotion', 'many:' || $1 || n, null) from generate_series(1, 1100) n`,
      [account],
    )
    const { chunks, rows } = await read(account)
    expect(chunks).toBe(4)
    expect(rows.map((row) => Math.round(Number(row[4]) * 1e9))).toEqual(
      Array.from({ length: 1_100 }, (_, n) => 1_100 - n),
    )
  })

  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['a,b', '"a,b"'],
    ['a\r\nb', '"a\r\nb"'],
    ['say "x"', '"say ""x"""'],
    ['atlas-large', 'atlas-large'],
  ])('%j becomes a cell that no spreadsheet runs or splits', (text, expected) => {
    expect(cell(text)).toBe(expected)
  })
})

test.each([
  ['arbitrum-mainnet', { eth_blockNumber: 18 }, 'eth_blockNumber ×18 · Arbitrum'],
  ['base-sepolia', { eth_call: 1 }, 'eth_call · Base Sepolia'],
  ['arbitrum-mainnet', { b: 1, c: 2, a: 1, d: 1, e: 1 }, 'c ×2, a, b, +2 · Arbitrum'],
  ['base-mainnet', {}, 'JSON-RPC · Base'],
  ['gone-mainnet', { eth_call: 1 }, 'eth_call · gone-mainnet'],
])('%s %j reads %s', (network, calls, text) => expect(describeRpc({ network, calls })).toBe(text))
