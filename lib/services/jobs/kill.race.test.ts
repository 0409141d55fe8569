import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { realDatabase } from '@/lib/db/testing'
import { builtProgram } from '@/lib/kernel/testing/built-program'
import { createRowStore } from '@/lib/services/jobs/media-store'
import { claimJob, endJob, insertJob } from '@/lib/services/jobs/statements'
import { brokenJobs } from '@/lib/services/jobs/testing'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { createLedger } from '@/lib/services/ledger/ledger'
import { toUsage } from '@/lib/services/ledger/statements'
import { chargeOfNano, makeAccount } from '@/lib/services/ledger/testing'

/** The long run: KILL_ROUNDS=50. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 5)
const JOBS = 16
const PRICE = 1_000n
const CREDIT = 1_000_000_000n

const server = await realDatabase()
const database = await server.open(10)
const program = await builtProgram('lib/services/jobs/testing-kill-child.ts')

const ledger = createLedger(database)
afterAll(ledger.abandon)

async function queue(accountId: string, input: object): Promise<string> {
  const held = await ledger.hold({ accountId, requestId: uuid(), amount: nano(PRICE) })
  const id = uuid()
  const insert = (lease: string) =>
    insertJob(database, {
      id,
      account: accountId,
      kind: 'video',
      model: 'reel',
      input: JSON.stringify(input),
      price: nano(PRICE),
      usage: toUsage(chargeOfNano(PRICE)),
      request: held.requestId,
      lease,
      lifeSeconds: 600,
    })
  expect(await ledger.transfer(held, nano(PRICE), insert, (outcome) => outcome === 'queued')).toBe('queued')
  return id
}

type Child = { process: ChildProcess; said: () => string; closed: Promise<unknown>; atWork: Promise<void> }

function startChild(): Child {
  const child = spawn(process.execPath, [program, JSON.stringify(server.options(4))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  const atWork = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
      resolve()
    })
    child.once('close', () => resolve())
  })
  return { process: child, said: () => said, closed: new Promise((resolve) => child.once('close', resolve)), atWork }
}

const live = async (of: Database): Promise<number> =>
  (await of.query(`select 1 from job where state in ('queued', 'running')`)).length

/** What time would do: the leases of the dead run out, while those of the living are renewed. */
const outliveLeases = () =>
  database.query(`update job set lease_until = now() - interval '1 second' where state = 'running'`)

test(`${ROUNDS} rounds of two workers that are killed: each job ends once, charged or given back`, async () => {
  const good = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    // Of each round its own: one account's queue is bounded, and what a round leaves behind stays.
    const accounts = await Promise.all(Array.from({ length: 4 }, () => makeAccount(database, { USD: CREDIT })))
    for (let n = 0; n < JOBS; n++) {
      const isBad = n % 4 === 3
      const id = await queue(accounts[n % 4] as string, { isBad })
      if (!isBad) good.add(id)
    }
    const children = [startChild(), startChild()]
    await Promise.race(children.map(({ atWork }) => atWork))
    await sleep(Math.random() * 120)
    for (const { process: child } of children) child.kill('SIGKILL')
    await Promise.all(children.map(({ closed }) => closed))
    // Nothing is owed yet to anybody: a job that is live has its money aside.
    expect(await brokenJobs(database)).toEqual([])
    await outliveLeases()
  }
  const last = startChild()
  // Attempts are counted, and the test kills more often than a job may die.
  for (let look = 0; look < 600 && (await live(database)) > 0; look++) {
    await database.query(`update job set attempts = least(attempts, 3) where state in ('queued', 'running')`)
    await sleep(100)
  }
  last.process.kill('SIGKILL')
  await last.closed

  const done = await database.query<{ id: string; media: string }>(
    `select id::text, media_id::text as media from job where state = 'done'`,
  )
  expect(new Set(done.map(({ id }) => id))).toEqual(good)
  expect(await database.query(`select 1 from job where state = 'failed'`)).toHaveLength(ROUNDS * JOBS - good.size)
  expect(await brokenJobs(database)).toEqual([])
  expect((await checkLedger(database, { depth: 'full' })).filter(({ broken }) => broken > 0)).toEqual([])
  const [money] = await database.query<{ spent: string; held: string }>(
    `select (${CREDIT * 4n * BigInt(ROUNDS)} - sum(posted))::text as spent, sum(held)::text as held from balance`,
  )
  expect(money).toEqual({ spent: String(PRICE * BigInt(good.size)), held: '0' })
  const store = createRowStore(database)
  for (const { id, media } of done) {
    expect(Buffer.concat(await Array.fromAsync(store.read(media))).toString()).toBe(`film of ${id}`)
  }
}, 300_000)

test('two workers that claim at once get different jobs, and one of two ends counts', async () => {
  const others = await server.open(10)
  const accountId = await makeAccount(database, { USD: CREDIT })
  await Promise.all(Array.from({ length: 8 }, () => queue(accountId, {})))
  const claims = await Promise.all(
    Array.from({ length: 8 }, (_, n) => claimJob(n % 2 === 0 ? database : others, ['video'])),
  )
  const got = claims.filter((claim) => claim !== undefined)
  expect(new Set(got.map(({ id }) => id)).size).toBe(got.length)
  expect(got.length).toBeGreaterThan(0)
  for (const { id, lease } of got) {
    const ends = await Promise.all([
      endJob(database, { id, lease }, { media: { id: uuid(), type: 'video/mp4', bytes: 1 } }),
      endJob(others, { id, lease }, { failure: { reason: 'failed', message: 'no' } }),
      others.query('select cancel_job($1)', [id]),
    ])
    expect(ends.slice(0, 2).filter(Boolean).length).toBeLessThanOrEqual(1)
  }
  expect(await brokenJobs(database)).toEqual([])
  expect((await checkLedger(database, { depth: 'full' })).filter(({ broken }) => broken > 0)).toEqual([])
})
