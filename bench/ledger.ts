import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { hex, uuid } from '@/lib/contract/ids'
import { nano, perMillion, usd } from '@/lib/contract/money'
import { openDatabase } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { createLedger, type Ledger } from '@/lib/services/ledger/ledger'
import type { Charge } from '@/lib/services/ledger/ledger-types'
import { chargeOf } from '@/lib/services/ledger/meter'
import { startPostgres } from '@/scripts/postgres'
import { removeFolder } from '@/scripts/tools/temp-folder'

const CELL_MS = 3_000
const WARM_UP_MS = 500
const ACCOUNTS = 50
const CONCURRENCY = [1, 32, 128]

type World = { accounts: string[]; keys: string[] }

/**
 * Cycles of one hold and one capture a second, as a paid request makes them, and the time this process took for each (the
 * embedded database included).
 *
 * @returns whether the ledgers are sound afterwards.
 */
export async function run(): Promise<boolean> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'lagoon-bench-'))
  const postgres = await startPostgres()
  try {
    const results = [
      await measure('PGlite', await openDatabase({ root: process.cwd(), dataDir })),
      await measure('PostgreSQL', await openDatabase({ root: process.cwd(), url: postgres.url })),
    ]
    console.table(results.flatMap((result) => result.rows))
    return results.every((result) => result.isSound)
  } finally {
    await postgres.stop()
    await removeFolder(dataDir)
  }
}

async function measure(name: string, database: Database): Promise<{ rows: object[]; isSound: boolean }> {
  const ledger = createLedger(database)
  const world = await makeWorld(database, ledger)
  const rows: object[] = []
  for (const [label, count] of [['spread', ACCOUNTS] as const, ['one hot account', 1] as const]) {
    const part = { accounts: world.accounts.slice(0, count), keys: world.keys.slice(0, count) }
    for (const concurrency of CONCURRENCY) {
      await cycles(ledger, part, concurrency, WARM_UP_MS)
      const cpu = process.cpuUsage()
      const perSecond = (await cycles(ledger, part, concurrency, CELL_MS)) / (CELL_MS / 1000)
      const { user, system } = process.cpuUsage(cpu)
      const cpuMicroseconds = (user + system) / (perSecond * (CELL_MS / 1000))
      rows.push({
        database: name,
        accounts: label,
        concurrency,
        'cycles/s': Math.round(perSecond),
        'CPU µs each': Math.round(cpuMicroseconds),
      })
    }
  }
  const findings = await checkLedger(database, { depth: 'full' })
  await database.close()
  return { rows, isSound: findings.every((finding) => finding.broken === 0) }
}

async function makeWorld(database: Database, ledger: Ledger): Promise<World> {
  const world: World = { accounts: [], keys: [] }
  for (let n = 0; n < ACCOUNTS; n++) {
    const [accountId, key] = [await makeAccount(database, ledger), uuid()]
    await database.query(
      `insert into api_key (id, account_id, type, hash, last6, limit_usd) values ($1, $2, 'INFERENCE', decode($3, 'hex'), '', $4)`,
      [key, accountId, hex(32), usd('1000000').toString()],
    )
    world.accounts.push(accountId)
    world.keys.push(key)
  }
  return world
}

/** Makes an account with a million dollars. */
export async function makeAccount(database: Database, ledger: Ledger): Promise<string> {
  const accountId = uuid()
  await database.query('insert into account (id, kind) values ($1, $2)', [accountId, 'account'])
  await ledger.credit({ accountId, currency: 'USD', amount: usd('1000000'), kind: 'grant', idempotencyKey: uuid() })
  return accountId
}

/** What a chat of 400 and 120 tokens costs. */
export const chargeOfChat = (): Charge => ({
  ...chargeOf([
    { sku: 'bench-llm-input-mtoken', units: 400, price: perMillion(0.4) },
    { sku: 'bench-llm-output-mtoken', units: 120, price: perMillion(1.2) },
  ]),
  modelId: 'bench',
})

async function cycles(ledger: Ledger, { accounts, keys }: World, concurrency: number, forMs: number): Promise<number> {
  const charge = chargeOfChat()
  const end = performance.now() + forMs
  let done = 0
  const worker = async (n: number): Promise<void> => {
    for (let turn = n; performance.now() < end; turn += concurrency) {
      const which = turn % accounts.length
      const hold = await ledger.hold({
        accountId: accounts[which] as string,
        keyId: keys[which],
        requestId: 'bench',
        amount: nano(charge.amount * 2n),
      })
      await ledger.capture(hold, charge)
      done++
    }
  }
  await Promise.all(Array.from({ length: concurrency }, (_, n) => worker(n)))
  return done
}
