import { describe, expect, test } from 'vitest'
import {
  answer,
  billingStage,
  charge,
  get,
  give,
  ledgerSum,
  manager,
  nanoOf,
  refused,
  rpcCall,
  TIME,
} from '@/app/api/v1/billing/testing/stage'
import { GET as historyRoute } from '@/app/api/v1/billing/usage-history/route'
import { perUnit, usd } from '@/lib/contract/money'
import { chargeOf } from '@/lib/services/ledger/meter'

await billingStage()

describe('GET /billing/usage-history', () => {
  const history = (headers: Record<string, string>, query = '') => get(historyRoute, `usage-history${query}`, headers)

  test('has a row for each priced part, a debit is negative, tokens count by the million', async () => {
    const { accountId, key, headers } = await manager()
    await give(accountId, usd('1'))
    const requestId = await charge(accountId, answer(), { keyId: key.id })
    const rpc = await charge(accountId, rpcCall())
    const { status, body } = await history(headers)
    expect(status).toBe(200)
    const inferenceDetails = {
      requestId,
      promptTokens: 412,
      completionTokens: 500,
      inferenceExecutionTime: 1_830,
    }
    const common = { timestamp: TIME, currency: 'USD', notes: 'API Inference', inferenceDetails }
    expect(body).toEqual({
      data: [
        { ...common, sku: 'atlas-llm-input-mtoken', units: 0.000412, pricePerUnitUsd: 1, amount: -0.000412 },
        { ...common, sku: 'atlas-llm-output-mtoken', units: 0.0005, pricePerUnitUsd: 3, amount: -0.0015 },
        {
          timestamp: TIME,
          sku: 'crypto-rpc-base-mainnet',
          units: 20,
          pricePerUnitUsd: 0.0000007,
          amount: -0.000014,
          currency: 'USD',
          notes: 'Crypto RPC',
          inferenceDetails: {
            requestId: rpc,
            promptTokens: null,
            completionTokens: null,
            inferenceExecutionTime: null,
          },
        },
      ],
      nextCursor: null,
    })
  })

  test('is walked to its end in pages, each row once, and adds up to the ledger to the last digit', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    // Several at one moment, so that a page may end between two of them, and within one.
    for (let n = 0; n < 17; n++) await charge(accountId, answer(), { at: `2026-07-18T10:00:0${n % 3}.123456Z` })
    for (let n = 0; n < 3; n++) await charge(accountId, rpcCall(), { at: '2026-07-18T10:00:01.123456Z' })
    const rows: { timestamp: string; amount: number }[] = []
    const sizes: number[] = []
    let query = '?pageSize=11'
    for (let page = 0; page < 10; page++) {
      const { body } = await history(headers, query)
      rows.push(...body.data)
      sizes.push(body.data.length)
      if (body.nextCursor === null) break
      expect(body.nextCursor).toMatch(/^[A-Za-z0-9_-]{1,512}$/)
      query = `?cursor=${body.nextCursor}`
    }
    expect(sizes).toEqual([11, 11, 11, 4])
    expect(rows.map(({ timestamp }) => timestamp)).toEqual(rows.map(({ timestamp }) => timestamp).sort())
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(37)
    const csv = (await history({ ...headers, accept: 'text/csv' })).text
    const sum = csv
      .trim()
      .split('\n')
      .slice(1)
      .reduce((total, line) => total + nanoOf(line.split(',')[4]!), 0n)
    expect(sum).toBe(await ledgerSum(accountId))
  })

  test('a filter bounds time from its start on and before its end, and chooses a currency', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    for (const second of [0, 1, 2]) await charge(accountId, rpcCall(), { at: `2026-07-18T10:00:0${second}Z` })
    await give(accountId, usd('1'), 'DIEM')
    await charge(accountId, rpcCall(), { at: '2026-07-18T10:00:01.5Z' })
    const range = '?startTimestamp=2026-07-18T10:00:01.000Z&endTimestamp=2026-07-18T10:00:02.000Z'
    expect((await history(headers, range)).body.data.map((row: { currency: string }) => row.currency)).toEqual([
      'USD',
      'DIEM',
    ])
    expect((await history(headers, '?currency=DIEM')).body.data).toHaveLength(1)
    expect((await history(headers, '?currency=BUNDLED_CREDITS')).body.data).toHaveLength(0)
  })

  test('a cursor keeps the filter of its first page', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    for (let n = 0; n < 14; n++) await charge(accountId, rpcCall(), { at: `2026-07-18T10:00:${10 + n}Z` })
    const first = await history(headers, '?pageSize=10&endTimestamp=2026-07-18T10:00:22Z&currency=USD')
    const { body } = await history(headers, `?cursor=${first.body.nextCursor}`)
    expect(body).toMatchObject({ nextCursor: null })
    expect(body.data).toHaveLength(2)
  })

  test('a cursor with a filter, an altered one, and one of another account are 400', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    for (let n = 0; n < 11; n++) await charge(accountId, rpcCall())
    const { nextCursor } = (await history(headers, '?pageSize=10')).body
    expect(await history(headers, `?cursor=${nextCursor}&currency=USD`)).toMatchObject({ status: 400 })
    const altered = nextCursor.slice(0, -4) + (nextCursor.endsWith('AAAA') ? 'BBBB' : 'AAAA')
    for (const cursor of [altered, 'abc', 'x'.repeat(512)]) {
      expect(await history(headers, `?cursor=${cursor}`)).toMatchObject(refused(['cursor']))
    }
    const other = await manager()
    expect(await history(other.headers, `?cursor=${nextCursor}`)).toMatchObject(refused(['cursor']))
  })

  test.each<[string, string[]]>([
    ['?unknown=1', []],
    ['?page=2', []],
    ['?currency=VCU', ['currency']],
    ['?pageSize=9', ['pageSize']],
    ['?pageSize=1001', ['pageSize']],
    ['?pageSize=ten', ['pageSize']],
    ['?startTimestamp=2026-07-18', ['startTimestamp']],
    ['?startTimestamp=2026-07-18T10:00:00%2B02:00', ['startTimestamp']],
    [`?startTimestamp=2026-07-18T10:00:00.${'0'.repeat(30)}Z`, ['startTimestamp']],
    ['?startTimestamp=2026-07-18T10:00:00Z&endTimestamp=2026-07-18T10:00:00Z', ['endTimestamp']],
    ['?cursor=', ['cursor']],
    [`?cursor=${'x'.repeat(513)}`, ['cursor']],
    ['?cursor=a%2Fb', ['cursor']],
  ])('%s is 400', async (query, path) => {
    const { headers } = await manager()
    expect(await history(headers, query)).toMatchObject(refused(path))
  })

  test('is CSV for who accepts it: the contract’s columns, plain line feeds, the cursor in a header', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    for (let n = 0; n < 11; n++) await charge(accountId, rpcCall())
    const csv = { ...headers, accept: 'text/csv, application/json' }
    const first = await history(csv, '?pageSize=10')
    expect(first.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(first.headers.get('content-disposition')).toMatch(
      /^attachment; filename=billing-usage-history-\d{8}T\d{9}Z\.csv$/,
    )
    const lines = first.text.split('\n')
    expect(lines[0]).toBe(
      'timestamp,sku,pricePerUnitUsd,units,amount,currency,notes,inferenceDetails.requestId,inferenceDetails.inferenceExecutionTime,inferenceDetails.promptTokens,inferenceDetails.completionTokens',
    )
    expect(lines).toHaveLength(12)
    expect(lines[1]).toMatch(
      /^[\d:.TZ-]{24},crypto-rpc-base-mainnet,0\.0000007,20,-0\.000014,USD,Crypto RPC,chatcmpl-[\w-]+,,,$/,
    )
    const last = await history(csv, `?cursor=${first.headers.get('x-next-cursor')}`)
    expect(last.headers.has('x-next-cursor')).toBe(false)
    expect(last.text.trim().split('\n')).toHaveLength(2)
  })

  test('text that a spreadsheet would run is made harmless, numbers are not', async () => {
    const { accountId, headers } = await manager()
    await give(accountId, usd('1'))
    await charge(accountId, { ...chargeOf([{ sku: '=cmd()', units: 1, price: perUnit(0.01) }]), modelId: '=cmd()' })
    const { text } = await history({ ...headers, accept: 'text/csv' })
    expect(text.split('\n')[1]).toMatch(/,'=cmd\(\),0\.01,1,-0\.01,USD,/)
  })

  test('shows nothing of another account', async () => {
    const { accountId } = await manager()
    await give(accountId, usd('1'))
    await charge(accountId, rpcCall())
    const other = await manager()
    expect((await history(other.headers)).body).toEqual({ data: [], nextCursor: null })
  })
})
