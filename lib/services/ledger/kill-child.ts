import { uuid } from '@/lib/contract/ids'
import { nano } from '@/lib/contract/money'
import { type DatabaseOptions, openDatabase } from '@/lib/db/client'
import { createLedger } from '@/lib/services/ledger/ledger'
import { chargeOfNano } from '@/lib/services/ledger/testing'

const IN_FLIGHT = 8

type Task = { options: DatabaseOptions; accounts: string[] }
const { options, accounts } = JSON.parse(process.argv[2] ?? '') as Task

const database = await openDatabase(options)
const ledger = createLedger(database)
await Promise.all(Array.from({ length: IN_FLIGHT }, (_, n) => work(n)))

async function work(n: number): Promise<void> {
  for (let cycle = 0; ; cycle++) {
    const accountId = accounts[(n + cycle) % accounts.length] as string
    const hold = await ledger.hold({ accountId, requestId: uuid(), amount: nano(100n) })
    ledger.checkpoint(hold, chargeOfNano(10n))
    if (cycle % 10 === n) await ledger.settled()
    if (cycle % 3 === 0) await ledger.extend(hold, nano(20n))
    if (cycle % 7 === 0) await ledger.release(hold, 'failed')
    else {
      const { charged } = await ledger.capture(hold, chargeOfNano(110n))
      process.stdout.write(`${hold.id} ${charged}\n`)
    }
  }
}
