import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { realDatabase } from '@/lib/db/testing'
import { builtProgram } from '@/lib/kernel/testing/built-program'
import { sweepAbandonedHolds } from '@/lib/services/ledger/heartbeat'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { makeAccount } from '@/lib/services/ledger/testing'

/** The long run: KILL_ROUNDS=50. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 3)
const CREDIT = 1_000_000_000n
const SHORTEST_LIFE_MS = 500
const LONGEST_LIFE_MS = 6_000
/** What is delivered is on its hold after two seconds, and twice what a statement takes on a machine that does other things. */
const LATE_MS = 3_000

const folder = mkdtempSync(path.join(tmpdir(), 'shared-hold-kill-'))
let lives = 0
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const server = await realDatabase()
const database = await server.open()
const program = await builtProgram('lib/services/ledger/hold-coalescer-kill-child.ts')

type Ended = { at: number; charge: bigint; slowest: number }

/** Lets a process work and kills it. Returns the calls that it had ended, or was about to. */
async function workAndDie(accounts: string[], lifeMs: number): Promise<Ended[]> {
  const options = server.options(4)
  const file = path.join(folder, `${lives++}.txt`)
  const child = spawn(process.execPath, [program, JSON.stringify({ options, accounts, file })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const atWork = new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', () => reject(new Error('the process ended before it was killed')))
  })
  const closed = new Promise((resolve) => child.once('close', resolve))
  await atWork
  await sleep(lifeMs)
  child.kill('SIGKILL')
  await closed
  const said = await readFile(file, 'utf8')
  const lines = said.slice(0, said.lastIndexOf('\n')).split('\n')
  return lines.map((line) => {
    const [at, charge, slowest] = line.split(' ') as [string, string, string]
    return { at: Number(at), charge: BigInt(charge), slowest: Number(slowest) }
  })
}

const sum = (ended: Ended[]) => ended.reduce((total, { charge }) => total + charge, 0n)

test(`${ROUNDS} kills lose no more than the last moments of what was delivered, charge nothing twice and leave a sound ledger`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const accounts = await Promise.all(Array.from({ length: 3 }, () => makeAccount(database, { USD: CREDIT })))
    const lifeMs = SHORTEST_LIFE_MS + ((LONGEST_LIFE_MS - SHORTEST_LIFE_MS) * (round + 1)) / ROUNDS
    const ended = await workAndDie(accounts, lifeMs)
    // A server may still be at the dead process's last statement, so there may be one more hold after a sweep.
    for (let open = 1; open > 0; ) {
      await database.query(`update hold set expires_at = now() - interval '1 s' where state = 'open'`)
      await sweepAbandonedHolds(database)
      open = (await database.query(`select 1 from hold where state = 'open'`)).length
    }
    const [row] = await database.query<{ left: string }>(
      'select sum(posted)::text as left from balance where account_id = any($1::uuid[])',
      [accounts],
    )
    const charged = CREDIT * BigInt(accounts.length) - BigInt(row?.left ?? 0)
    const last = ended.at(-1)
    const lostFrom = last ? last.at - LATE_MS - 2 * last.slowest : 0
    expect(charged).toBeLessThanOrEqual(sum(ended))
    expect(charged).toBeGreaterThanOrEqual(sum(ended.filter(({ at }) => at < lostFrom)))
    expect(charged).toBeGreaterThan(0n)
    const findings = await checkLedger(database, { depth: 'full' })
    expect(findings.filter((finding) => finding.broken > 0)).toEqual([])
  }
}, 900_000)
