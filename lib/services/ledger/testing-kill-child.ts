import { setTimeout as sleep } from 'node:timers/promises'
import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import { type DatabaseOptions, openDatabase } from '@/lib/db/client'
import { createLedger } from '@/lib/services/ledger/ledger'
import { chargeOfNano } from '@/lib/services/ledger/testing'

/** Process that `kill.race.test.ts` kills. It says each charge with the time and its slowest statement (milliseconds). */
const IN_FLIGHT = 8

type Task = { options: DatabaseOptions; accounts: string[] }
const { options, accounts } = JSON.parse(process.argv[2] ?? '') as Task

const database = await openDatabase(options)
const underWay = new Set<{ since: number }>()
let slowest = 0
const ledger = createLedger({ ...database, query: timed })
await Promise.all(Array.from({ length: IN_FLIGHT }, (_, n) => work(n)))

async function work(n: number): Promise<void> {
  for (let cycle = 0; ; cycle++) {
    const accountId = accounts[(n + cycle) % accounts.length] as string
    const hold = await ledger.hold({ accountId, requestId: uuid(), amount: nano(100n) })
    ledger.checkpoint(hold, chargeOfNano(10n))
    if (cycle % 10 === n) await ledger.flush()
    else await sleep((n + cycle) % 5)
    if (cycle % 3 === 0) await ledger.extend(hold, nano(20n))
    if (cycle % 7 === 0) await ledger.release(hold)
    else {
      const { charged } = await ledger.capture(hold, chargeOfNano(110n))
      process.stdout.write(`${hold.id} ${charged} ${performance.now()} ${slowestYet()}\n`)
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
