import { openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import { type DatabaseOptions, openDatabase } from '@/lib/db/client'
import { createLedger } from '@/lib/services/ledger/ledger'
import { chargeOfNano } from '@/lib/services/ledger/testing'

/**
 * Process that `hold-coalescer-kill.race.test.ts` kills: overlapping callers. Before it ends a call it writes down the
 * time, the charge and its slowest statement (milliseconds), into a file: a full pipe would lose lines with the
 * process.
 */
const CALLERS = 8

type Task = { options: DatabaseOptions; accounts: string[]; file: string }
const { options, accounts, file } = JSON.parse(process.argv[2] ?? '') as Task

const notes = openSync(file, 'a')
const database = await openDatabase(options)
const underWay = new Set<{ since: number }>()
let slowest = 0
const ledger = createLedger({ ...database, query: timed })
process.stdout.write('at work\n')
await Promise.all(accounts.flatMap((account) => Array.from({ length: CALLERS }, (_, n) => work(account, n))))

async function work(accountId: string, n: number): Promise<void> {
  for (let cycle = 0; ; cycle++) {
    const call = await ledger.share({ accountId, requestId: uuid(), amount: nano(100n) })
    await sleep((n + cycle) % 5)
    if (cycle % 7 === n) await call.end(undefined)
    else {
      const charge = 50n + BigInt(cycle % 50)
      writeSync(notes, `${performance.now()} ${charge} ${slowestYet()}\n`)
      await call.end(chargeOfNano(charge))
    }
  }
}

async function timed<Row>(text: string, parameters?: unknown[]): Promise<Row[]> {
  const statement = { since: performance.now() }
  underWay.add(statement)
  try {
    return await database.query<Row>(text, parameters)
  } finally {
    slowest = slowestYet()
    underWay.delete(statement)
  }
}

function slowestYet(): number {
  return Math.max(slowest, ...[...underWay].map(({ since }) => performance.now() - since))
}
