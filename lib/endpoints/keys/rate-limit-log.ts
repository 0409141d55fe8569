import 'server-only'
import { getDb } from '@/lib/db/client'
import { saveBreaches } from '@/lib/services/limits/note-breach'

// Source: API contract, api-keys.md "GET /api_keys/rate_limits/log".
const LOG_ROWS = 50

type LogRow = { apiKeyId: string | null; modelId: string; rateLimitTier: string; rateLimitType: string; at: string }

/** Reads the last refusals of an account, newest first; those of the browser's session carry no key. */
export async function rateLimitLog(accountId: string) {
  await saveBreaches()
  const { query } = await getDb()
  const rows = await query<LogRow>(
    `select key_id as "apiKeyId", model_id as "modelId", tier as "rateLimitTier", type as "rateLimitType",
       to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
     from rate_limit_breach where account_id = $1 order by rate_limit_breach.at desc, id limit ${LOG_ROWS}`,
    [accountId],
  )
  return rows.map(({ at, ...row }) => ({ ...row, timestamp: at }))
}
