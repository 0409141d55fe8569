import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { realDatabase, whileLocked } from '@/lib/db/testing'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { createLedger } from '@/lib/services/ledger/ledger'
import { sweep } from '@/lib/services/ledger/sweep'
import { chargeOfNano, makeAccount, makeKey } from '@/lib/services/ledger/testing'
import {
  type Actor,
  commands,
  crash,
  expectSame,
  makeWorld,
  runCommand,
  startActor,
} from '@/lib/services/ledger/testing-commands'

/** The long run: LEDGER_COMMANDS=200000. */
const COMMANDS = Number(process.env.LEDGER_COMMANDS ?? 5_000)
const TIMEOUT_MS = Math.max(900_000, COMMANDS * 20)
const SEED = Number(process.env.LEDGER_SEED ?? Date.now() & 0x7fff_ffff)
const PROCESSES = 8
/** Requests that each process has in flight. */
const IN_FLIGHT = 16

const server = await realDatabase()
const databases = await Promise.all(Array.from({ length: PROCESSES }, () => server.open(1)))
const database = databases[0] as Database
const processes = databases.map(startActor)

const databaseOf = (n: number) => databases[n % PROCESSES] as Database
const processOf = (n: number) => processes[n % PROCESSES] as Actor
const ledgerOf = (n: number) => processOf(n).ledger
const asking = (accountId: string, amount: bigint, keyId?: string) => ({
  accountId,
  keyId,
  requestId: uuid(),
  amount: nano(amount),
})
const granted = (outcomes: PromiseSettledResult<unknown>[]) =>
  outcomes.filter((outcome) => outcome.status === 'fulfilled').length

const heldOf = async (account: string) =>
  (await database.query<{ held: string }>('select held::text from balance where account_id = $1', [account]))[0]?.held

async function expectSound(): Promise<void> {
  await Promise.all(processes.map(({ ledger }) => ledger.settled()))
  const findings = await checkLedger(database, { depth: 'full' })
  expect(findings.filter((finding) => finding.broken > 0)).toEqual([])
}

test('a balance for 10 holds gives exactly 10 of 100 parallel ones', async () => {
  const account = await makeAccount(database, { USD: 1_000n })
  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, (_, n) => ledgerOf(n).hold(asking(account, 100n))),
  )
  expect(granted(outcomes)).toBe(10)
  await expectSound()
  expect(await heldOf(account)).toBe('1000')
})

test('one hot account in 8 processes loses and invents nothing', async () => {
  const account = await makeAccount(database, { USD: 100_000n })
  await Promise.all(
    Array.from({ length: 1_000 }, async (_, n) => {
      const held = await ledgerOf(n).hold(asking(account, 50n))
      if (n % 4 === 0) await ledgerOf(n).release(held)
      else expect(await ledgerOf(n).capture(held, chargeOfNano(30n))).toMatchObject({ charged: 30n })
    }),
  )
  await expectSound()
  expect((await ledgerOf(0).balancesOf(account)).USD).toBe(100_000n - 750n * 30n)
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
    await ledgerOf(n).capture(held, chargeOfNano(23n))
  })
  await Promise.all(work)
  await expectSound()
})

test('what a process charges while others sweep its leases is charged once', async () => {
  const account = await makeAccount(database, { USD: 10_000n })
  const actors = databases.map(startActor)
  const holds = await Promise.all(
    Array.from({ length: 80 }, (_, n) => (actors[n % PROCESSES] as Actor).ledger.hold(asking(account, 100n))),
  )
  await database.query(`update ledger_process set seen_at = now() - interval '1 minute' where id = any($1::uuid[])`, [
    actors.map(({ processId }) => processId),
  ])
  await Promise.all([
    ...holds.map((held, n) => (actors[n % PROCESSES] as Actor).ledger.capture(held, chargeOfNano(60n))),
    ...actors.map(({ ledger }) => ledger.flush()),
    ...databases.map((own) => sweep(own)),
  ])
  await Promise.all(actors.map(({ ledger }) => ledger.settled()))
  await expectSound()
  expect((await ledgerOf(0).balancesOf(account)).USD).toBe(10_000n - 80n * 60n)
  await Promise.all(actors.map(({ ledger }) => ledger.abandon()))
})

test('what was delivered is charged although others kept its account locked for longer than a statement waits', async () => {
  const account = await makeAccount(database, { USD: 1_000n })
  const lock = sql`select 1 from balance where account_id = ${account} for update`
  const own = await server.open(1)
  let query = own.query
  const ledger = createLedger({ ...own, query: (text, parameters) => query(text, parameters) })
  const held = await ledger.hold(asking(account, 100n))
  await whileLocked(database, own, lock, async (locked) => {
    query = locked.query
    expect(await ledger.capture(held, chargeOfNano(60n))).toMatchObject({ charged: 60n })
    await vi.waitFor(ledger.flush, { timeout: 60_000 })
  })
  await ledger.settled()
  await expectSound()
  expect((await ledger.balancesOf(account)).USD).toBe(940n)
  await ledger.abandon()
})

test.each([1, 2])(
  'one command after the other, the ledger of %i processes does what a simple model of it foresees',
  async (count) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(commands, fc.nat({ max: count - 1 })), { minLength: 60, maxLength: 120, size: 'max' }),
        async (list) => {
          const world = await makeWorld(database, 1, count === 1)
          const actors: Actor[] = databases.slice(0, count).map(startActor)
          for (const [command, n] of list) {
            const actor = actors[n] as Actor
            if (command.do === 'crash') await crash(world, actor, databaseOf(5))
            else await runCommand(world, actor, command, true)
          }
          await Promise.all(actors.map(({ ledger }) => ledger.settled()))
          await expectSame(world)
          for (const actor of actors) await crash(world, actor, databaseOf(6))
          await expectSame(world)
        },
      ),
      { seed: SEED, numRuns: Math.ceil(Math.min(COMMANDS, 20_000) / 500), endOnFailure: true },
    )
    await expectSound()
  },
  TIMEOUT_MS,
)

test(
  `${COMMANDS} commands in ${PROCESSES} processes at once keep every invariant and the model's sums (seed ${SEED})`,
  async () => {
    const world = await makeWorld(database, 12)
    const actors: Actor[] = databases.map(startActor)
    const list = fc.sample(commands, { seed: SEED, numRuns: COMMANDS })
    const runProcess = async (actor: Actor, n: number): Promise<void> => {
      for (let start = n * IN_FLIGHT; start < list.length; start += IN_FLIGHT * PROCESSES) {
        const moment = list.slice(start, start + IN_FLIGHT)
        await Promise.all(moment.map((command) => runCommand(world, actor, command, false)))
        if (moment.some((command) => command.do === 'crash')) {
          await crash(world, actor, databaseOf(n + 1))
        }
      }
    }
    await Promise.all(actors.map(runProcess))
    await Promise.all(actors.map(({ ledger }) => ledger.settled()))
    await expectSame(world)
    await expectSound()
    for (const [n, actor] of actors.entries()) await crash(world, actor, databaseOf(n + 1))
    await expectSame(world)
    await expectSound()
  },
  TIMEOUT_MS,
)
