import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { signInText } from '@/lib/contract/sign-in-format'
import { testDatabase } from '@/lib/db/testing'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { eventually } from '@/lib/kernel/testing/time'
import { pruneNonces } from '@/lib/services/identity/sign-in/claim-nonce'
import {
  refusal,
  sent,
  signedHeaders,
  signedPayload,
  signInFields,
  testWallet,
  verify,
} from '@/lib/services/identity/sign-in/testing'

const database = await testDatabase()
const FAMILIES = ['evm', 'solana'] as const

beforeEach(() => resetPerProcess('failure-budget'))

const at = (ms: number) => new Date(Date.now() + ms).toISOString()

describe('a nonce', () => {
  test('works once, whatever the wallet signs next', async () => {
    const wallet = testWallet()
    const headers = await signedHeaders(wallet)
    await verify(headers)
    expect(await refusal(verify(headers))).toBe('NONCE_REUSED')
    const nonce = 'abcdefgh'
    await verify(await signedHeaders(wallet, { nonce }))
    expect(await refusal(verify(await signedHeaders(wallet, { nonce, statement: 'Another one.' })))).toBe(
      'NONCE_REUSED',
    )
  })

  test('is the wallet’s own: nobody uses up that of another', async () => {
    const nonce = 'abcdefgh'
    for (const family of FAMILIES) await verify(await signedHeaders(testWallet(family), { nonce }))
  })

  test('is not used up by a proof that fails', async () => {
    const wallet = testWallet()
    const payload = await signedPayload(wallet)
    expect(await refusal(sent({ ...payload, signature: (await signedPayload(testWallet())).signature }))).toBe(
      'INVALID_SIGNATURE',
    )
    await sent(payload)
  })

  test('of the same text counts again where reading is all that is done', async () => {
    const wallet = testWallet()
    const nonce = 'abcdefgh'
    const headers = await signedHeaders(wallet, { nonce })
    const first = await verify(headers, true)
    expect(await verify(headers, true)).toEqual({ ...first, isNew: false })
    expect(await refusal(verify(headers, false))).toBe('NONCE_REUSED')
    expect(await refusal(verify(await signedHeaders(wallet, { nonce, statement: 'x' }), true))).toBe('NONCE_REUSED')
  })

  test('copies of one header sent at once: exactly one is admitted', async () => {
    const headers = await signedHeaders(testWallet())
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => verify(headers)))
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('past its time it is forgotten, a bounded number at a time', async () => {
    await pruneNonces(database)
    await verify(await signedHeaders(testWallet()))
    await database.query(
      `insert into sign_in_nonce select 'old', n::text, '\\x00', now() - interval '1 second' from generate_series(1, 5) n`,
    )
    expect(await pruneNonces(database)).toBe(5)
    expect(await pruneNonces(database)).toBe(0)
  })

  test('is remembered for longer than its proof can take to be checked', async () => {
    const wallet = testWallet()
    await verify(await signedHeaders(wallet, { issuedAt: at(29_000) }))
    const [row] = await database.query<{ seconds: number }>(
      'select extract(epoch from expires_at - now())::float8 as seconds from sign_in_nonce where address = $1',
      [wallet.address.toLowerCase()],
    )
    // The proof counts for 329 s from here.
    expect(row!.seconds).toBeGreaterThan(380)
  })

  test('more old ones than one look can drop are dropped within seconds', { timeout: 60_000 }, async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      await database.query(
        `insert into sign_in_nonce select 'flood', n::text, '\\x00', now() - interval '1 second' from generate_series(1, 20500) n`,
      )
      const left = async () => {
        const [row] = await database.query<{ count: number }>(
          `select count(*)::int as count from sign_in_nonce where address = 'flood'`,
        )
        return row!.count
      }
      vi.setSystemTime(Date.now() + 61_000)
      await verify(await signedHeaders(testWallet()))
      await eventually(async () => expect(await left()).toBe(500))
      vi.setSystemTime(Date.now() + 2_000)
      await verify(await signedHeaders(testWallet()))
      await eventually(async () => expect(await left()).toBe(0))
    } finally {
      vi.useRealTimers()
    }
  })

  test('only a hash of the text is kept', async () => {
    const wallet = testWallet()
    const text = signInText(signInFields(wallet))
    await sent(await signedPayload(wallet, text))
    const rows = await database.query('select encode(message_hash, $2) as hash from sign_in_nonce where address = $1', [
      wallet.address.toLowerCase(),
      'hex',
    ])
    expect(rows).toEqual([{ hash: createHash('sha256').update(text).digest('hex') }])
  })
})
