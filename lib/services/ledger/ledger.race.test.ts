import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { realDatabase } from '@/lib/db/testing'
import { whileLocked } from '@/lib/db/testing-locks'
import { sweepAbandonedHolds } from '@/lib/services/ledger/heartbeat'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { createLedger } from '@/lib/services/ledger/ledger'
import { type Actor, commands, crash, expectSame, makeWorld, runCommand } from '@/lib/services/ledger/ledger-commands'
import { chargeOfNano, makeAccount, makeKey } from '@/lib/services/ledger/testing'

/** The long run: LEDGER_COMMANDS=200000. */
const COMMANDS = Number(process.env.LEDGER_COMMANDS ?? 5_000)
const SEED = Number(process.env.LEDGER_SEED ?? Date.now() & 0x7fff_ffff)
const PROCESSES = 8
/** Requests that each process has in flight. */
const IN_FLIGHT = 16

const server = await realDatabase()
const databases = await Promise.all(Array.from({ length: PROCESSES }, () => server.open(1)))
const database = databases[0] as Database
const ledgers = databases.map(createLedger)

const databaseOf = (n: number) => databases[n % PROCESSES] as Database
const actorOn = (own: Database): Actor => ({ database: own, ledger: createLedger(own), holds: [] })
const ledgerOf = (n: number) => ledgers[n % PROCESSES] as (typeof ledgers)[number]
const asking = (accountId: string, amount: bigint, keyId?: string) => ({
  accountId,
  keyId,
  requestId: uuid(),
  amount: nano(amount),
})
const granted = (outcomes: PromiseSettledResult<unknown>[]) =>
  outcomes.filter((outcome) => outcome.status === 'fulfilled').length

async function expectSound(): Promise<void> {
  const findings = await checkLedger(database, { depth: 'full' })
  expect(findings.filter((finding) => finding.broken > 0)).toEqual([])
}

test('a balance for 10 holds gives exactly 10 of 100 parallel ones', async () => {
  const account = await makeAccount(database, { USD: 1_000n })
  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, (_, n) => ledgerOf(n).hold(asking(account, 100n))),
  )
  expect(granted(outcomes)).toBe(10)
  expect((await ledgerOf(0).balancesOf(account)).USD).toBe(0n)
  await expectSound()
})

test('one hot account in 8 processes loses and invents nothing', async () => {
  const account = await makeAccount(database, { USD: 100_000n })
  await Promise.all(
    Array.from({ length: 1_000 }, async (_, n) => {
      const held = await ledgerOf(n).hold(asking(account, 50n))
      if (n % 4 === 0) await ledgerOf(n + 1).release(held, 'failed')
      else expect(await ledgerOf(n).capture(held, chargeOfNano(30n))).toMatchObject({ charged: 30n })
    }),
  )
  expect((await ledgerOf(0).balancesOf(account)).USD).toBe(100_000n - 750n * 30n)
  await expectSound()
})

test('the limits of keys hold whatever the concurrency, in each currency', async () => {
  const account = await makeAccount(database, { USD: 50_000n, BUNDLED_CREDITS: 50_000n, DIEM: 50_000n })
  const limited = await makeKey(database, account, { usd: 1_000n, diem: 500n })
  const outcomes = await Promise.allSettled(
    Array.from({ length: 200 }, (_, n) => ledgerOf(n).hold(asking(account, 100n, limited))),
  )
  expect(granted(outcomes)).toBe(15)
  await expectSound()
})

test('batches of several processes over the same accounts do not deadlock', async () => {
  const accounts = await Promise.all(
    Array.from({ length: 20 }, () => makeAccount(database, { USD: 1_000_000n, DIEM: 1_000n })),
  )
  const keys = await Promise.all(accounts.map((account) => makeKey(database, account)))
  const work = Array.from({ length: 2_000 }, async (_, n) => {
    const which = (n * 7) % accounts.length
    const held = await ledgerOf(n).hold(asking(accounts[which] as string, 20n, keys[which]))
    await ledgerOf(n).extend(held, nano(5n))
    await ledgerOf(n + 3).capture(held, chargeOfNano(23n))
  })
  await Promise.all(work)
  await expectSound()
})

test('of a capture in one process and a sweep in others exactly one ends each hold', async () => {
  const account = await makeAccount(database, { USD: 10_000n })
  const holds = await Promise.all(Array.from({ length: 100 }, (_, n) => ledgerOf(n).hold(asking(account, 100n))))
  await database.query(`update hold set expires_at = now() - interval '1 s' where account_id = $1`, [account])
  const [captures] = await Promise.all([
    Promise.all(holds.map((held, n) => ledgerOf(n).capture(held, chargeOfNano(60n)))),
    ...databases.map(sweepAbandonedHolds),
  ])
  const charged = captures.reduce((sum, captured) => sum + captured.charged, 0n)
  expect((await ledgerOf(0).balancesOf(account)).USD).toBe(10_000n - charged)
  await expectSound()
})

test('what was delivered is charged although others kept its account locked for longer than a statement waits', async () => {
  const account = await makeAccount(database, { USD: 1_000n })
  const held = await ledgerOf(0).hold(asking(account, 100n))
  const lock = sql`select 1 from balance where account_id = ${account} for update`
  const captured = await whileLocked(database, await server.open(1), lock, (own) =>
    createLedger(own).capture(held, chargeOfNano(60n)),
  )
  expect(captured).toMatchObject({ charged: 60n })
  await expectSound()
})

test('one command after the other, the ledger does what a simple model of it foresees', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(commands, fc.nat({ max: 1 })), { minLength: 60, maxLength: 120, size: 'max' }),
      async (list) => {
        const world = await makeWorld(database, 1)
        const actors: Actor[] = [0, 1].map((n) => actorOn(databaseOf(n)))
        for (const [command, n] of list) {
          const actor = actors[n] as Actor
          if (command.do === 'crash') await crash(world, actor, databaseOf(5))
          else await runCommand(world, actor, command, true)
        }
        await expectSame(world)
        for (const actor of actors) await crash(world, actor, databaseOf(6))
        await expectSame(world)
      },
    ),
    { seed: SEED, numRuns: Math.ceil(Math.min(COMMANDS, 20_000) / 250) },
  )
  await expectSound()
}, 900_000)

test(`${COMMANDS} commands in ${PROCESSES} processes at once keep every invariant and the model's sums (seed ${SEED})`, async () => {
  const world = await makeWorld(database, 12)
  const actors: Actor[] = databases.map(actorOn)
  const list = fc.sample(commands, { seed: SEED, numRuns: COMMANDS })
  const runProcess = async (actor: Actor, n: number): Promise<void> => {
    for (let start = n * IN_FLIGHT; start < list.length; start += IN_FLIGHT * PROCESSES) {
      const moment = list.slice(start, start + IN_FLIGHT)
      await Promise.all(moment.map((command) => runCommand(world, actor, command, false)))
      if (moment.some((command) => command.do === 'crash')) {
        await crash(world, actor, databaseOf(n + 1))
        actor.ledger = createLedger(actor.database)
      }
    }
  }
  await Promise.all(actors.map(runProcess))
  await expectSame(world)
  await expectSound()
  for (const [n, actor] of actors.entries()) await crash(world, actor, databaseOf(n + 1))
  await expectSame(world)
  await expectSound()
}, 900_000)
