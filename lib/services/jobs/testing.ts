import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@/lib/db/database'
import { checkLedger } from '@/lib/services/ledger/invariants'

const LOOK_MS = 20
const MAX_LOOKS = 1_000

export async function endOf(database: Database, id: string): Promise<Record<string, unknown>> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const [row] = await database.query<Record<string, unknown>>(
      'select *, media_bytes::int from job where id = $1 and finished_at is not null',
      [id],
    )
    if (row) return row
    await sleep(LOOK_MS)
  }
  throw new Error('the job did not end')
}

export async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

export async function brokenJobs(database: Database): Promise<string[]> {
  const findings = await checkLedger(database, { depth: 'full' })
  return findings.find(({ name }) => name === 'INV-16')?.examples ?? ['INV-16 is not checked']
}
