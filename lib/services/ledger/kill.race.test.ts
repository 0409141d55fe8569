import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { type DatabaseOptions, openDatabase } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { realDatabase } from '@/lib/db/testing'
import { builtProgram } from '@/lib/kernel/testing/built-program'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { sweep } from '@/lib/services/ledger/sweep'
import { makeAccount } from '@/lib/services/ledger/testing'

/** The long run: KILL_ROUNDS=200. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 5)
const TIMEOUT_MS = Math.max(900_000, ROUNDS * 30_000)
const PROCESSES = 4
const CREDIT = 1_000_000_000n
const LONGEST_LIFE_MS = 600
/** A charge is written after 50 ms; twenty times that on a machine that does other things, and its statement. */
const LATE_MS = 1_000

const root = process.cwd()
const server = await realDatabase()
const program = await builtProgram('lib/services/ledger/testing-kill-child.ts')
const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-kill-test-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

type Told = { id: string; charged: bigint; isLate: boolean }

/** Lets a process work and kills it. Returns the charges that it was told of. */
async function workAndDie(options: DatabaseOptions, accounts: string[]): Promise<Told[]> {
  const child = spawn(process.execPath, [program, JSON.stringify({ options, accounts })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  // On a loaded machine a start takes seconds: the clock runs from the first charge on.
  const atWork = new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
      if (said.includes('\n')) resolve()
    })
    child.once('exit', () => reject(new Error('the process ended before it was killed')))
  })
  const closed = new Promise((resolve) => child.once('close', resolve))
  await atWork
  await sleep(Math.random() * LONGEST_LIFE_MS)
  child.kill('SIGKILL')
  await closed
  const lines = said.slice(0, said.lastIndexOf('\n')).split('\n')
  const told = lines.map((line) => line.split(' ') as [id: string, charged: string, at: string, slowest: string])
  const [, , lastAt, slowest] = told.at(-1) as (typeof told)[number]
  const lateFrom = Number(lastAt) - LATE_MS - 2 * Number(slowest)
  return told.map(([id, charged, at]) => ({ id, charged: BigInt(charged), isLate: Number(at) >= lateFrom }))
}

async function expectClean(database: Database, told: Told[]): Promise<void> {
  // A server may still be at the dead process's last statement, so there may be one more lease after a sweep.
  do {
    await database.query(`update ledger_process set seen_at = now() - interval '1 minute'`)
    await sweep(database)
  } while ((await database.query('select 1 from lease')).length > 0)
  const findings = await checkLedger(database, { depth: 'full' })
  expect(findings.filter((finding) => finding.broken > 0)).toEqual([])
  const written = await database.query<{ id: string; charged: string }>(
    `select txn_id as id, (-amount)::text as charged from entry e join txn t on t.id = e.txn_id
     where t.kind = 'charge' and e.leg = 1`,
  )
  const charged = new Map(written.map((row) => [row.id, BigInt(row.charged)]))
  // What was not written any more was delivered for nothing, or for what its last mark said.
  const wrong = told.filter((one) => {
    const found = charged.get(one.id) ?? 0n
    return one.isLate ? found > one.charged : found !== one.charged
  })
  expect(wrong).toEqual([])
}

async function survive(options: DatabaseOptions, processes: number): Promise<void> {
  const told: Told[] = []
  let database = await openDatabase(options)
  const accounts = await Promise.all(Array.from({ length: 5 }, () => makeAccount(database, { USD: CREDIT })))
  await database.close()
  for (let round = 0; round < ROUNDS; round++) {
    const lives = await Promise.all(Array.from({ length: processes }, () => workAndDie(options, accounts)))
    told.push(...lives.flat())
    database = await openDatabase(options)
    await expectClean(database, told).finally(() => database.close())
    if ((round + 1) % 25 === 0) process.stdout.write(`${round + 1} of ${ROUNDS} rounds, ${told.length} charges told\n`)
  }
  expect(told.length).toBeGreaterThanOrEqual(ROUNDS)
}

test(
  `on PostgreSQL, ${ROUNDS} kills of ${PROCESSES} processes charge nothing twice, lose only the last moment, and leave a sound ledger`,
  async () => {
    await survive(server.options(4), PROCESSES)
  },
  TIMEOUT_MS,
)

test(
  `on the embedded database, ${ROUNDS} kills charge nothing twice, lose only the last moment, and leave a sound ledger`,
  async () => {
    await survive({ root, dataDir: folder }, 1)
  },
  TIMEOUT_MS,
)
