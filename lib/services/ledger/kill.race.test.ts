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
import { sweepAbandonedHolds } from '@/lib/services/ledger/heartbeat'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { makeAccount } from '@/lib/services/ledger/testing'

/** The long run: KILL_ROUNDS=50. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 5)
const CREDIT = 1_000_000_000n
const LONGEST_LIFE_MS = 600

const root = process.cwd()
const server = await realDatabase()
const program = await builtProgram('lib/services/ledger/kill-child.ts')
const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-kill-test-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Lets a process work and kills it. Returns the captures that were acknowledged to it: hold → amount. */
async function workAndDie(options: DatabaseOptions, accounts: string[]): Promise<Map<string, string>> {
  const child = spawn(process.execPath, [program, JSON.stringify({ options, accounts })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  // On a loaded machine a start takes seconds: the clock runs from the first capture on.
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
  return new Map(lines.map((line) => line.split(' ') as [string, string]))
}

async function expectClean(database: Database, acknowledged: Map<string, string>): Promise<void> {
  // A server may still be at the dead process's last statement, so there may be one more hold after a sweep.
  for (let open = 1; open > 0; ) {
    await database.query(`update hold set expires_at = now() - interval '1 s' where state = 'open'`)
    await sweepAbandonedHolds(database)
    open = (await database.query(`select 1 from hold where state = 'open'`)).length
  }
  const findings = await checkLedger(database, { depth: 'full' })
  expect(findings.filter((finding) => finding.broken > 0)).toEqual([])
  const captured = await database.query<{ id: string; charged: string }>(
    `select id, (captured + excess)::text as charged from hold where state = 'captured'`,
  )
  const kept = new Map(captured.map(({ id, charged }) => [id, charged]))
  expect([...acknowledged].filter(([id, charged]) => kept.get(id) !== charged)).toEqual([])
}

async function survive(options: DatabaseOptions): Promise<void> {
  const acknowledged = new Map<string, string>()
  let database = await openDatabase(options)
  const accounts = await Promise.all(Array.from({ length: 5 }, () => makeAccount(database, { USD: CREDIT })))
  await database.close()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [id, charged] of await workAndDie(options, accounts)) acknowledged.set(id, charged)
    database = await openDatabase(options)
    await expectClean(database, acknowledged).finally(() => database.close())
  }
  expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS)
}

test(`on PostgreSQL, ${ROUNDS} kills lose nothing that was acknowledged and leave a sound ledger`, async () => {
  await survive(server.options(4))
}, 900_000)

test(`on the embedded database, ${ROUNDS} kills lose nothing that was acknowledged and leave a sound ledger`, async () => {
  await survive({ root, dataDir: folder })
}, 900_000)
