import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { installDatabase } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { testDatabase } from '@/lib/db/testing'
import { resetPerProcess } from '@/lib/kernel/per-process'
import type { Caller } from '@/lib/kernel/request-context'
import { testCaller, withEnvironment } from '@/lib/services/identity/testing'
import { balancesOf } from '@/lib/services/ledger/ledger'
import { allowanceOf, dollarsOf, refreshAllowance, StakeUnknown, stakedBalance } from '@/lib/services/payments/staking'

const database = await testDatabase()

const TOKEN = `0x${'7'.repeat(40)}`
const CONTRACT = `0x${'5'.repeat(40)}`
const TOKENS = 10n ** 18n
const NOON = Date.UTC(2030, 0, 15, 12)
const DAY = 86_400_000
const DAY_START = Date.UTC(2030, 0, 15) / 1_000

/** A node on loopback: the other end of the real client. */
const node = {
  url: '',
  stakes: new Map<string, bigint>(),
  /** What was staked when the day began, as far as the node still knows it. */
  stakesAtDayStart: undefined as Map<string, bigint> | undefined,
  /** Of the staking contract, in seconds; nothing of one that has none. */
  coolDown: 86_400n as bigint | undefined,
  nowSeconds: 0,
  decimals: 18n as bigint | undefined,
  calls: 0,
  mode: 'answers' as 'answers' | 'hangs' | 'drips' | 'fails',
}
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const call = JSON.parse(Buffer.concat(chunks).toString())
  node.calls++
  if (node.mode === 'hangs') return
  if (node.mode === 'drips') return void response.writeHead(200).write('{')
  if (node.mode === 'fails') return void response.writeHead(502).end()
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...replyTo(call.method, call.params) }))
})
/** A chain with a block every two seconds from 2029 on, but for a pause of an hour. */
const GENESIS = Date.UTC(2029, 0, 1) / 1_000
const PAUSE = { block: 1_000_000, seconds: 3_600 }
const timeOf = (block: number) => GENESIS + 2 * block + (block >= PAUSE.block ? PAUSE.seconds : 0)
function replyTo(method: string, [first, second]: [unknown, string]) {
  if (method === 'eth_getBlockByNumber') {
    const latest = Math.floor((node.nowSeconds - GENESIS - PAUSE.seconds) / 2)
    const number = first === 'latest' ? latest : Number(first)
    return {
      result: { number: `0x${number.toString(16)}`, timestamp: `0x${timeOf(number).toString(16)}`, transactions: [] },
    }
  }
  const { to, data } = first as { to: string; data: string }
  if (to === TOKEN) return answer(node.decimals)
  if (data.length === 10) return answer(node.coolDown)
  const owner = `0x${data.slice(-40)}`
  if (second === 'latest') return answer(node.stakes.get(owner) ?? 0n)
  const isDayStart = timeOf(Number(second)) <= DAY_START && timeOf(Number(second) + 1) > DAY_START
  if (!node.stakesAtDayStart || !isDayStart) return { error: { code: -32000, message: 'missing trie node' } }
  return answer(node.stakesAtDayStart.get(owner) ?? 0n)
}
const answer = (value: bigint | undefined) =>
  value === undefined
    ? { error: { code: 3, message: 'execution reverted', data: '0x' } }
    : { result: `0x${value.toString(16).padStart(64, '0')}` }
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

beforeEach(() => {
  Object.assign(node, { stakes: new Map(), decimals: 18n, calls: 0, mode: 'answers' })
  Object.assign(node, { stakesAtDayStart: undefined, coolDown: 86_400n, nowSeconds: NOON / 1_000 })
  resetPerProcess('allowances')
  resetPerProcess('stake-readers')
})

const configured = <T>(run: () => T | Promise<T>) =>
  withEnvironment(
    {
      SANDBOX: 'off',
      STAKING_TOKEN: TOKEN,
      STAKING_CONTRACT: CONTRACT,
      WALLET_RPC_URL_EVM: node.url,
      LOG_LEVEL: 'silent',
      LOG_FORMAT: 'json',
    },
    run,
  )

/** A wallet with an account of its own, signed in. */
async function wallet(tokens: bigint, via: Caller['via'] = { type: 'sign-in' }): Promise<Caller> {
  const address = `0x${uuid().replaceAll('-', '')}00000000`
  const accountId = uuid()
  await database.query(`insert into account (id, kind, ref) values ($1, 'wallet', $2)`, [accountId, address])
  node.stakes.set(address, tokens)
  return testCaller({ accountId, kind: 'wallet', address, via })
}

const at = (ms: number) => ({ nowMs: ms, utcMs: async () => ms })

const diemOf = async (caller: Caller) => (await balancesOf(caller.accountId)).DIEM
const restake = (caller: Caller, tokens: bigint) => node.stakes.set(caller.address ?? '', tokens)

describe('the daily credit', () => {
  test('is a dollar for each staked token, given once a day', () =>
    configured(async () => {
      const caller = await wallet(3n * TOKENS)
      await refreshAllowance(caller, at(NOON))
      expect(await diemOf(caller)).toBe(3_000_000_000n)
      await refreshAllowance(caller, at(NOON + 61_000))
      expect(await diemOf(caller)).toBe(3_000_000_000n)
      expect(await allowanceOf(caller.accountId, at(NOON))).toEqual({
        staked: 3_000_000_000n,
        granted: 3_000_000_000n,
        refreshesAt: new Date(Date.UTC(2030, 0, 16)),
      })
    }))

  test("is of the database's day, whatever day this machine believes it is", () =>
    configured(async () => {
      const caller = await wallet(3n * TOKENS)
      const query: Database['query'] = async <Row>(text: string, parameters?: unknown[]) =>
        text.includes('clock_timestamp()') ? ([{ ms: NOON }] as Row[]) : database.query<Row>(text, parameters)
      installDatabase({ ...database, query })
      try {
        await refreshAllowance(caller)
        expect(await allowanceOf(caller.accountId)).toMatchObject({
          granted: 3_000_000_000n,
          refreshesAt: new Date(Date.UTC(2030, 0, 16)),
        })
      } finally {
        installDatabase(database)
      }
      const days = await database.query('select day from allowance where account_id = $1', [caller.accountId])
      expect(days).toEqual([{ day: '2030-01-15' }])
    }))

  test('is looked after once a minute, and again when the day has changed', () =>
    configured(async () => {
      const caller = await wallet(TOKENS)
      const late = Date.UTC(2030, 0, 15, 23, 59, 50)
      await refreshAllowance(caller, at(late))
      expect(refreshAllowance(caller, at(late + 9_999))).toBeUndefined()
      expect(refreshAllowance(caller, at(late + 10_000))).toBeInstanceOf(Promise)
      await refreshAllowance(caller, at(late + 10_000))
      expect(refreshAllowance(caller, at(late + 69_999))).toBeUndefined()
      await refreshAllowance(caller, at(late + 70_000))
      // Decimals and cool-down are asked once.
      expect(node.calls).toBe(5)
    }))

  test('of two days is never spent in one', () =>
    configured(async () => {
      const caller = await wallet(2n * TOKENS)
      await refreshAllowance(caller, at(NOON))
      restake(caller, 5n * TOKENS)
      await refreshAllowance(caller, at(NOON + DAY))
      expect(await diemOf(caller)).toBe(5_000_000_000n)
      restake(caller, 0n)
      await refreshAllowance(caller, at(NOON + 2 * DAY))
      expect(await diemOf(caller)).toBe(0n)
    }))

  test('grows with the stake during the day, and does not shrink with it', () =>
    configured(async () => {
      const caller = await wallet(2n * TOKENS)
      await refreshAllowance(caller, at(NOON))
      restake(caller, TOKENS)
      await refreshAllowance(caller, at(NOON + 60_000))
      expect(await diemOf(caller)).toBe(2_000_000_000n)
      restake(caller, 6n * TOKENS)
      await refreshAllowance(caller, at(NOON + 120_000))
      expect(await diemOf(caller)).toBe(6_000_000_000n)
    }))

  test('comes to the account when one of its keys asks', () =>
    configured(async () => {
      const { address: _, ...key } = await wallet(3n * TOKENS, testCaller().via)
      await refreshAllowance(key, at(NOON))
      expect(await diemOf(key)).toBe(3_000_000_000n)
    }))

  test('costs a wallet that stakes nothing no row, and others no look at the chain', () =>
    configured(async () => {
      const poor = await wallet(0n)
      await refreshAllowance(poor, at(NOON))
      expect(await database.query('select 1 from allowance where account_id = $1', [poor.accountId])).toEqual([])
      node.calls = 0
      const solana = { ...(await wallet(0n)), address: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV' }
      for (const caller of [testCaller(), testCaller({ kind: 'guest' }), solana]) {
        expect(refreshAllowance(caller, at(NOON))).toBeUndefined()
      }
      await withEnvironment({ SANDBOX: 'off' }, async () => {
        expect(refreshAllowance(poor, at(NOON + DAY))).toBeUndefined()
        expect(await allowanceOf(poor.accountId, at(NOON))).toBeUndefined()
      })
      expect(node.calls).toBe(0)
    }))

  test('a hundred requests of one moment make one read', () =>
    configured(async () => {
      const caller = await wallet(TOKENS)
      await Promise.all(Array.from({ length: 100 }, () => refreshAllowance(caller, at(NOON))))
      expect(node.calls).toBe(3)
      expect(await diemOf(caller)).toBe(1_000_000_000n)
    }))
})

describe('one stake that is moved through ten wallets in five minutes', () => {
  /** @returns the credit of all of them together. */
  async function move(tokens: bigint, first: bigint): Promise<bigint> {
    const wallets = await Promise.all(Array.from({ length: 10 }, () => wallet(0n)))
    node.stakesAtDayStart?.set(wallets[0]!.address ?? '', first)
    let sum = 0n
    for (const [index, caller] of wallets.entries()) {
      node.stakes.clear()
      restake(caller, tokens)
      await refreshAllowance(caller, at(NOON + index * 30_000))
      sum += await diemOf(caller)
    }
    return sum
  }

  test('gives the credit of one stake, to who had it when the day began', () =>
    configured(async () => {
      Object.assign(node, { coolDown: undefined, stakesAtDayStart: new Map() })
      expect(await move(100n * TOKENS, 100n * TOKENS)).toBe(100_000_000_000n)
    }))

  test('gives nothing when it was staked during the day', () =>
    configured(async () => {
      Object.assign(node, { coolDown: 3_600n, stakesAtDayStart: new Map() })
      expect(await move(100n * TOKENS, 0n)).toBe(0n)
    }))

  test('gives nothing where no node knows how the day began', () =>
    configured(async () => {
      node.coolDown = undefined
      expect(await move(100n * TOKENS, 100n * TOKENS)).toBe(0n)
    }))
})

test('without a cool-down, what is unstaked counts no more, and what comes later counts from the next day on', () =>
  configured(async () => {
    Object.assign(node, { coolDown: undefined, stakesAtDayStart: new Map() })
    const [less, more] = [await wallet(2n * TOKENS), await wallet(9n * TOKENS)]
    for (const { address = '' } of [less, more]) node.stakesAtDayStart?.set(address, 5n * TOKENS)
    for (const caller of [less, more]) await refreshAllowance(caller, at(NOON))
    expect(await diemOf(less)).toBe(2_000_000_000n)
    expect(await diemOf(more)).toBe(5_000_000_000n)
  }))

describe('a node that does not answer', () => {
  test('keeps nobody from going on, is asked again after half a minute, and by one caller only', () =>
    configured(async () => {
      const [caller, other] = [await wallet(TOKENS), await wallet(TOKENS)]
      node.mode = 'fails'
      await refreshAllowance(caller, at(NOON))
      await refreshAllowance(other, at(NOON + 1_000))
      // Both contracts were asked for the first, nothing for the second.
      expect(node.calls).toBe(3)
      expect(await diemOf(caller)).toBe(0n)
      node.mode = 'answers'
      expect(refreshAllowance(caller, at(NOON + 29_999))).toBeUndefined()
      await refreshAllowance(caller, at(NOON + 30_000))
      expect(await diemOf(caller)).toBe(1_000_000_000n)
    }))

  test('does not keep the credit of the day before alive', () =>
    configured(async () => {
      const caller = await wallet(TOKENS)
      await refreshAllowance(caller, at(NOON))
      node.mode = 'fails'
      await refreshAllowance(caller, at(NOON + DAY))
      expect(await diemOf(caller)).toBe(0n)
      node.mode = 'answers'
      await refreshAllowance(caller, at(NOON + DAY + 30_000))
      expect(await diemOf(caller)).toBe(1_000_000_000n)
    }))

  test.each(['hangs', 'drips'] as const)('that %s is given up after a second and a half', (mode) =>
    configured(async () => {
      const caller = await wallet(TOKENS)
      node.mode = mode
      const limit = vi.spyOn(AbortSignal, 'timeout')
      onTestFinished(() => limit.mockRestore())
      await refreshAllowance(caller, at(NOON))
      expect(new Set(limit.mock.calls.flat())).toEqual(new Set([1_500]))
      expect(await diemOf(caller)).toBe(0n)
    }),
  )

  test('is told from a service without staking', async () => {
    const address = `0x${'1'.repeat(40)}`
    await withEnvironment({ SANDBOX: 'off' }, () =>
      expect(stakedBalance(address)).rejects.toMatchObject({ reason: 'not-configured' }),
    )
    await configured(async () => {
      node.stakes.set(address, 12n)
      expect(await stakedBalance(address)).toBe(12n)
      node.mode = 'fails'
      await expect(stakedBalance(address)).rejects.toBeInstanceOf(StakeUnknown)
      await expect(stakedBalance(address)).rejects.toMatchObject({ reason: 'unreachable' })
    })
  })
})

describe('decimals', () => {
  test('are the token’s own, and 18 where it does not say', () =>
    configured(async () => {
      node.decimals = 6n
      const six = await wallet(2_500_000n)
      await refreshAllowance(six, at(NOON))
      expect(await diemOf(six)).toBe(2_500_000_000n)
      resetPerProcess('stake-readers')
      node.decimals = undefined
      const silent = await wallet(2n * TOKENS)
      await refreshAllowance(silent, at(NOON))
      expect(await diemOf(silent)).toBe(2_000_000_000n)
    }))

  test.each([
    [0n, 18, 0n],
    [1n, 18, 0n],
    [999_999_999n, 18, 0n],
    [1_999_999_999n, 18, 1n],
    [5n, 0, 5_000_000_000n],
    [5n, 9, 5n],
    [2n ** 256n - 1n, 0, 10n ** 18n],
  ])('%s units with %s decimals are %s nano-dollars', (units, decimals, expected) => {
    expect(dollarsOf(units, decimals)).toBe(expected)
  })
})
