import 'server-only'
import { uuid } from '@/lib/contract/ids'
import { getDb } from '@/lib/db/client'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'

const WRITE_EVERY_MS = 2_000
const MAX_WAITING = 1_000
const MAX_PER_ACCOUNT = 200

export type Breach = {
  accountId: string
  keyId?: string
  modelId: string
  tier: string
  type: 'RPM' | 'RPD' | 'TPM' | 'FAILED_REQUESTS'
}

type Noted = { waiting: Map<string, Breach & { at: string }>; timer?: NodeJS.Timeout }

export function noteBreach(breach: Breach, nowMs: number): void {
  const noted = state()
  const same = `${breach.accountId} ${breach.keyId} ${breach.modelId} ${breach.type}`
  if (noted.waiting.has(same) || noted.waiting.size >= MAX_WAITING) return
  noted.waiting.set(same, { ...breach, at: new Date(nowMs).toISOString() })
  noted.timer ??= setTimeout(saveBreaches, WRITE_EVERY_MS).unref()
}

export async function saveBreaches(): Promise<void> {
  const noted = state()
  clearTimeout(noted.timer)
  noted.timer = undefined
  if (noted.waiting.size === 0) return
  const rows = [...noted.waiting.values()].map((breach) => ({ ...breach, id: uuid() }))
  noted.waiting.clear()
  try {
    const { query } = await getDb()
    await query(
      `insert into rate_limit_breach (id, account_id, key_id, model_id, tier, type, at)
       select b.id, b."accountId", b."keyId", b."modelId", b.tier, b.type, b.at from jsonb_to_recordset($1::jsonb)
           as b(id uuid, "accountId" uuid, "keyId" uuid, "modelId" text, tier text, type text, at timestamptz)`,
      [JSON.stringify(rows)],
    )
    await query(
      `delete from rate_limit_breach where id in (
         select id from (select id, row_number() over (partition by account_id order by at desc) as place
                           from rate_limit_breach where account_id = any($1::uuid[])) as ranked
          where place > $2)`,
      [[...new Set(rows.map(({ accountId }) => accountId))], MAX_PER_ACCOUNT],
    )
  } catch (error) {
    log().warn({ err: error, breaches: rows.length }, 'some rate-limit breaches could not be saved')
  }
}

const state = (): Noted => perProcess('breaches', () => ({ waiting: new Map() }))
