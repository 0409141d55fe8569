import path from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { Stage } from '@/e2e/testing/contract-stage'

/** A line of the server's log about one request. */
type RequestLine = { msg: string; id: string; route: string; status: number; account?: string; chargedNanoUsd?: string }

export const requestLines = (log: string): RequestLine[] =>
  log
    .split('\n')
    .filter((line) => line.includes('"msg":"request'))
    .map((line) => JSON.parse(line) as RequestLine)

/** Requests that failed and were charged all the same. */
export const chargedFailures = (lines: RequestLine[]): RequestLine[] =>
  lines.filter(({ status, chargedNanoUsd = '0' }) => status >= 400 && chargedNanoUsd !== '0')

/** What the replies say that each account was charged, in nano-dollars. */
export function chargedByLog(lines: RequestLine[]): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { account, chargedNanoUsd = '0' } of lines) {
    if (account === undefined || chargedNanoUsd === '0') continue
    sums.set(account, (sums.get(account) ?? 0n) + BigInt(chargedNanoUsd))
  }
  return sums
}

/** What the ledger says of the same, but for work that outlives its request. The server must be down. */
export async function chargedByLedger({ dataDir }: Stage): Promise<Map<string, bigint>> {
  const database = await PGlite.create(path.join(dataDir, 'db'))
  try {
    const { rows } = await database.query<{ account: string; charged: string }>(`
      select e.account_id as account, (-sum(e.amount))::text as charged from entry e join txn t on t.id = e.txn_id
      where t.kind = 'charge' and e.account_id is not null
        and t.idempotency_key not in (select 'hold:' || hold_id from job where hold_id is not null)
      group by e.account_id`)
    return new Map(rows.map(({ account, charged }) => [account, BigInt(charged)]))
  } finally {
    await database.close()
  }
}
