import { afterAll, expect, test } from 'vitest'
import { hex } from '@/lib/contract/ids'
import { installDatabase } from '@/lib/db/client'
import { realDatabase } from '@/lib/db/testing'
import { type Claim, createClaims, pruneNonces } from '@/lib/services/identity/sign-in/claim-nonce'
import { signedHeaders, testWallet } from '@/lib/services/identity/sign-in/testing'
import { verifySignIn } from '@/lib/services/identity/sign-in/verify'
import { testContext, withEnvironment } from '@/lib/services/identity/testing'
import { checkLedger } from '@/lib/services/ledger/invariants'

const server = await realDatabase()
const database = await server.open()
installDatabase(database)
afterAll(() => installDatabase(undefined))

/** Three processes, each with connections and batches of its own. */
const processes = await Promise.all([1, 2, 3].map(async () => createClaims(await server.open(3))))
const outcomes = async (claims: Promise<{ outcome: string }>[]) =>
  (await Promise.all(claims)).map(({ outcome }) => outcome).sort()

const aWallet = () => `0x${hex(20)}`

function shuffled<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((one, two) => one.place - two.place)
    .map(({ item }) => item)
}

test('of 20 copies of one proof in three processes exactly one is claimed', async () => {
  for (let round = 0; round < 50; round++) {
    const claim: Claim = { wallet: aWallet(), nonce: hex(16), text: 'a text' }
    const all = await outcomes(Array.from({ length: 20 }, (_, n) => processes[n % 3]!.add(claim)))
    expect(all).toEqual(['claimed', ...Array(19).fill('repeated')])
  }
})

test('of two texts under one nonce one is claimed, and the other is no repetition', async () => {
  for (let round = 0; round < 50; round++) {
    const claim = { wallet: aWallet(), nonce: hex(16) }
    const all = await outcomes(processes.slice(0, 2).map((claims, n) => claims.add({ ...claim, text: `text ${n}` })))
    expect(all).toEqual(['claimed', 'reused'])
  }
})

test('a proof past its time is taken over once', async () => {
  for (let round = 0; round < 20; round++) {
    const claim: Claim = { wallet: aWallet(), nonce: hex(16), text: 'old' }
    await processes[0]!.add({ ...claim, ttlSeconds: -3_600 })
    const all = await outcomes(processes.map((claims) => claims.add({ ...claim, text: 'new' })))
    expect(all).toEqual(['claimed', 'repeated', 'repeated'])
  }
})

test('the same proofs in three orders at once never block each other; each wallet gets one account and one welcome', async () => {
  await withEnvironment({ WELCOME_CREDIT_USD: '1' }, async () => {
    for (let round = 0; round < 10; round++) {
      const wallets = Array.from({ length: 40 }, aWallet)
      const claims = wallets.flatMap((wallet) =>
        Array.from({ length: 4 }, (): Claim => ({ wallet, nonce: hex(16), text: 'a text' })),
      )
      const pruning = Promise.all([pruneNonces(database), pruneNonces(database)])
      const all = await Promise.all(processes.map(({ add }) => Promise.all(shuffled(claims).map(add))))
      await pruning
      const claimed = all.flat().filter(({ outcome }) => outcome === 'claimed')
      expect(claimed).toHaveLength(claims.length)
      const rows = await database.query<{ accounts: number; usd: string }>(
        `select count(*)::int as accounts, sum(b.posted)::text as usd
           from account a left join balance b on b.account_id = a.id where a.ref = any($1)`,
        [wallets],
      )
      expect(rows).toEqual([{ accounts: 40, usd: '40000000000' }])
    }
  })
  const faults = (await checkLedger(database, { depth: 'full' })).filter(({ broken }) => broken > 0)
  expect(faults).toEqual([])
})

test('20 parallel requests with one header: one is admitted', async () => {
  for (const family of ['evm', 'solana'] as const) {
    const headers = await signedHeaders(testWallet(family))
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, () => verifySignIn(testContext({ headers }), { mayRepeat: false })),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const attempt of attempts) {
      if (attempt.status === 'rejected') expect(attempt.reason.code).toBe('X402_SIGN_IN_NONCE_REUSED')
    }
  }
})
