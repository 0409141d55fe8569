import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { realDatabase, whileLocked } from '@/lib/db/testing'
import { type Claim, claimReply, fingerprintOf, MAX_KEYS, sweepRows } from '@/lib/endpoints/rpc/idempotency'

const PROCESSES = 5
const server = await realDatabase()
const databases = await Promise.all(Array.from({ length: PROCESSES }, () => server.open(10)))
const database = databases[0] as Database
const databaseOf = (n: number) => databases[n % PROCESSES] as Database

const PRINT = fingerprintOf('base-mainnet', Buffer.from('{"method":"eth_sendRawTransaction"}'))
const times = <T>(count: number, run: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => run(n)))
const replyOf = (text: string) => ({
  status: 200,
  body: Buffer.from(text),
  credits: 20,
  cost: nano(14_000n),
  requestId: text,
})

type Outcome = { claim: Claim } | { replayed: string } | { refused: string }

async function ask(n: number, accountId: string, key = 'key', fingerprint = PRINT): Promise<Outcome> {
  try {
    const answer = await claimReply({ accountId, key, fingerprint, requestId: `r${n}` }, async () => databaseOf(n))
    if ('claim' in answer) return answer
    return { replayed: Buffer.from(answer.replay.body).toString() }
  } catch (error) {
    if (error instanceof ApiError) return { refused: error.code }
    throw error
  }
}

const claimsOf = (outcomes: Outcome[]) => outcomes.flatMap((outcome) => ('claim' in outcome ? [outcome.claim] : []))
const othersOf = (outcomes: Outcome[]) => outcomes.filter((outcome) => !('claim' in outcome))

const endLeases = (accountId: string) =>
  database.query(`update rpc_reply set lease_until = now() - interval '1 second' where account_id = $1`, [accountId])

async function expectCounted(): Promise<void> {
  const wrong = await database.query(
    `select account_id from (
       select account_id, count(*) as keys, coalesce(sum(octet_length(body)), 0) as bytes from rpc_reply group by 1
     ) r full join rpc_reply_total t using (account_id)
     where coalesce(r.keys, 0) <> coalesce(t.keys, 0) or coalesce(r.bytes, 0) <> coalesce(t.bytes, 0)`,
  )
  expect(wrong).toEqual([])
}

test('of 50 that ask at once one gets the claim, and all others hear that it runs', async () => {
  for (let round = 0; round < 10; round++) {
    const accountId = uuid()
    const outcomes = await times(50, (n) => ask(n, accountId))
    expect(claimsOf(outcomes)).toHaveLength(1)
    expect(othersOf(outcomes)).toEqual(Array.from({ length: 49 }, () => ({ refused: 'IDEMPOTENCY_IN_PROGRESS' })))
    await claimsOf(outcomes)[0]?.keep(replyOf('done'))
    expect(await times(50, (n) => ask(n, accountId))).toEqual(Array.from({ length: 50 }, () => ({ replayed: 'done' })))
  }
  await expectCounted()
})

test('of two requests under one key at once one runs, and every copy of the other is refused', async () => {
  const other = fingerprintOf('base-sepolia', Buffer.from('{"method":"eth_sendRawTransaction"}'))
  for (let round = 0; round < 10; round++) {
    const accountId = uuid()
    const outcomes = await times(40, async (n) => ({
      n,
      outcome: await ask(n, accountId, 'key', n % 2 ? other : PRINT),
    }))
    const winners = outcomes.filter(({ outcome }) => 'claim' in outcome)
    expect(winners).toHaveLength(1)
    for (const { n, outcome } of outcomes) {
      if (n === winners[0]?.n) continue
      const isSame = n % 2 === (winners[0]?.n ?? 0) % 2
      expect(outcome).toEqual({ refused: isSame ? 'IDEMPOTENCY_IN_PROGRESS' : 'IDEMPOTENCY_KEY_REUSED' })
    }
  }
  await expectCounted()
})

test('the claim of a process that died is taken over once, however many try, again and again', async () => {
  const accountId = uuid()
  let last = claimsOf([await ask(0, accountId)])
  for (let round = 0; round < 20; round++) {
    await endLeases(accountId)
    const outcomes = await times(40, (n) => ask(n, accountId))
    const claims = claimsOf(outcomes)
    expect(claims).toHaveLength(1)
    expect(new Set(othersOf(outcomes).map((outcome) => JSON.stringify(outcome)))).toEqual(
      new Set(['{"refused":"IDEMPOTENCY_IN_PROGRESS"}']),
    )
    // The dead one comes back: with a reply, or with nothing.
    await (round % 2 ? last[0]?.keep(replyOf('late')) : last[0]?.drop())
    expect(await ask(round, accountId)).toEqual({ refused: 'IDEMPOTENCY_IN_PROGRESS' })
    last = claims
  }
  await last[0]?.keep(replyOf('at last'))
  expect(await ask(0, accountId)).toEqual({ replayed: 'at last' })
  await expectCounted()
})

test('a reply that is kept while its claim is taken over stands, or the other runs: never both', async () => {
  const seen = { kept: 0, takenOver: 0 }
  for (let round = 0; round < 60; round++) {
    const accountId = uuid()
    const [slow] = claimsOf([await ask(round, accountId)])
    await endLeases(accountId)
    const [, ...outcomes] = await Promise.all([
      slow?.keep(replyOf('slow')).then(() => ({ refused: '' })),
      ...Array.from({ length: 3 }, (_, n) => ask(n, accountId)),
    ])
    const claims = claimsOf(outcomes as Outcome[])
    if (claims.length === 0) {
      seen.kept++
      expect(await ask(0, accountId)).toEqual({ replayed: 'slow' })
    } else {
      seen.takenOver++
      expect(claims).toHaveLength(1)
      expect(outcomes).not.toContainEqual({ replayed: 'slow' })
      await claims[0]?.keep(replyOf('next'))
      expect(await ask(0, accountId)).toEqual({ replayed: 'next' })
    }
  }
  expect(seen.kept + seen.takenOver).toBe(60)
  await expectCounted()
})

test('a key that is dropped while others ask is claimed once at a time', async () => {
  const accountId = uuid()
  let holders = 0
  let runs = 0
  const outcomes = await times(60, async (n) => {
    for (let attempt = 0; attempt < 8; attempt++) {
      const outcome = await ask(n, accountId)
      if (!('claim' in outcome)) continue
      expect(++holders).toBe(1)
      runs++
      await new Promise((resolve) => setImmediate(resolve))
      holders--
      await outcome.claim.drop()
    }
    return 'done'
  })
  expect(outcomes).toHaveLength(60)
  expect(runs).toBeGreaterThan(1)
  await expectCounted()
})

test('a day that is over is begun again once, also while sweeps run', async () => {
  for (let round = 0; round < 15; round++) {
    const accountId = uuid()
    const keys = Array.from({ length: 6 }, (_, n) => `key-${n}`)
    for (const key of keys) await claimsOf([await ask(0, accountId, key)])[0]?.keep(replyOf('yesterday'))
    await database.query('update rpc_reply set expires_at = now() where account_id = $1', [accountId])
    const sweeps = databases.map((own) => sweepRows(own))
    const outcomes = await Promise.all(keys.map((key) => times(8, (n) => ask(n, accountId, key))))
    await Promise.all(sweeps)
    for (const asked of outcomes) {
      expect(claimsOf(asked)).toHaveLength(1)
      expect(asked).not.toContainEqual({ replayed: 'yesterday' })
      await claimsOf(asked)[0]?.keep(replyOf('today'))
    }
    for (const key of keys) expect(await ask(0, accountId, key)).toEqual({ replayed: 'today' })
  }
  await expectCounted()
})

test('the last places of an account are given once each', async () => {
  const accountId = uuid()
  await database.query(
    `with filled as (
       insert into rpc_reply (account_id, key, fingerprint, claim, request_id, lease_until, expires_at)
       select $1::uuid, 'filled-' || n, '\\x00', gen_random_uuid(), 'r', now(), now() + interval '1 day'
       from generate_series(1, $2::int) n returning 1
     )
     insert into rpc_reply_total (account_id, keys, bytes) select $1::uuid, count(*), 0 from filled`,
    [accountId, MAX_KEYS - 7],
  )
  const outcomes = await times(40, (n) => ask(n, accountId, `new-${n}`))
  expect(claimsOf(outcomes)).toHaveLength(7)
  expect(othersOf(outcomes)).toEqual(Array.from({ length: 33 }, () => ({ refused: 'RATE_LIMIT_EXCEEDED' })))
  await expectCounted()
})

test('a connection that is cut in the middle of anything leaves sound books and a key that can be used', async () => {
  const accountId = uuid()
  const victim = await server.open(4)
  const cut = () =>
    database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and query like '%rpc_reply(%' and state = 'active'`,
    )
  let isOver = false
  const cutter = (async () => {
    while (!isOver) await cut()
  })()
  const outcomes = await times(30, async (n) => {
    const told = await claimReply(
      { accountId, key: `key-${n}`, fingerprint: PRINT, requestId: 'r' },
      async () => victim,
    )
      .then((answer) => ('claim' in answer ? answer.claim : undefined))
      .catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
        return undefined
      })
    await told?.keep(replyOf(`reply-${n}`))
    return told !== undefined
  })
  isOver = true
  await cutter
  await expectCounted()
  await endLeases(accountId)
  for (const n of outcomes.keys()) {
    const outcome = await ask(n, accountId, `key-${n}`)
    if ('claim' in outcome) await outcome.claim.keep(replyOf(`reply-${n}`))
    expect(await ask(n, accountId, `key-${n}`)).toEqual({ replayed: `reply-${n}` })
  }
  await expectCounted()
})

test('a reply is kept although others kept its row locked for longer than a statement waits', async () => {
  const accountId = uuid()
  let used = database
  const answer = await claimReply({ accountId, key: 'key', fingerprint: PRINT, requestId: 'r' }, async () => used)
  const [claim] = claimsOf('claim' in answer ? [answer] : [])
  const lock = sql`select 1 from rpc_reply where account_id = ${accountId} for update`
  await whileLocked(database, await server.open(1), lock, async (own) => {
    used = own
    await claim?.keep(replyOf('reply'))
  })
  expect(await ask(1, accountId)).toEqual({ replayed: 'reply' })
  await expectCounted()
})

test('everything at once, of many accounts, never waits in a circle and loses nothing', async () => {
  const accounts = Array.from({ length: 4 }, uuid)
  const seen = new Set<string>()
  await times(24, async (n) => {
    for (let step = 0; step < 30; step++) {
      const accountId = accounts[(n * 7 + step) % accounts.length] as string
      const key = `key-${(n + step * 3) % 5}`
      const outcome = await ask(n, accountId, key)
      if ('refused' in outcome) expect(outcome.refused).toBe('IDEMPOTENCY_IN_PROGRESS')
      seen.add(Object.keys(outcome)[0] as string)
      if ('claim' in outcome)
        await (step % 3 ? outcome.claim.keep(replyOf(`${key}`.repeat(400))) : outcome.claim.drop())
      if (step % 10 === n % 10) {
        await database.query(
          'update rpc_reply set expires_at = now() where account_id = $1 and key = $2 and status is not null',
          [accountId, key],
        )
        await sweepRows(databaseOf(n))
      }
    }
  })
  expect(seen).toEqual(new Set(['claim', 'replayed', 'refused']))
  await expectCounted()
})
