import 'server-only'
import type { RateLimits } from '@/lib/contract/keys.schema'
import { usdNumber } from '@/lib/contract/money'
import { getDb } from '@/lib/db/client'
import { type Caller, isWallet, keyIdOf } from '@/lib/kernel/request-context'
import { remainingKeyLimits } from '@/lib/services/identity/api-keys'
import { balancesOf } from '@/lib/services/ledger/ledger'
import { type Balances, canConsume } from '@/lib/services/ledger/ledger-types'
import { limitsOfModel } from '@/lib/services/limits/limits'
import { saveBreaches } from '@/lib/services/limits/note-breach'
import { catalogue } from '@/lib/services/models/catalogue'
import { isPrivateEnough } from '@/lib/services/models/resolve'
import { refreshAllowance } from '@/lib/services/payments/staking'

const DAY_MS = 86_400_000

/** Reads what a caller may do now. Dollars; times in ISO 8601. */
export async function rateLimitsOf(caller: Caller, nowMs = Date.now()): Promise<RateLimits['data']> {
  await refreshAllowance(caller)
  const keyId = keyIdOf(caller)
  const [balances, remaining] = await Promise.all([
    balancesOf(caller.accountId),
    keyId === undefined ? undefined : remainingKeyLimits(keyId),
  ])
  return {
    accessPermitted: canConsume(balances) && hasCredit(balances, remaining),
    apiTier: { id: 'paid', isCharged: true },
    balances: {
      USD: usdNumber(balances.USD),
      DIEM: usdNumber(balances.DIEM),
      BUNDLED_CREDITS: balances.BUNDLED_CREDITS > 0n ? usdNumber(balances.BUNDLED_CREDITS) : undefined,
    },
    keyExpiration: (caller.via.type === 'key' && caller.via.expiresAt?.toISOString()) || null,
    nextEpochBegins: new Date((Math.floor(nowMs / DAY_MS) + 1) * DAY_MS).toISOString(),
    rateLimits: modelLimits(caller, nowMs),
  }
}

// Tells whether some currency has money that the key's own limits let it spend.
function hasCredit({ USD, BUNDLED_CREDITS, DIEM }: Balances, remaining: { usd?: bigint; diem?: bigint } = {}): boolean {
  const isOpen = (amount: bigint, left: bigint | undefined) => amount > 0n && (left === undefined || left > 0n)
  return isOpen(USD, remaining.usd) || isOpen(BUNDLED_CREDITS, remaining.usd) || isOpen(DIEM, remaining.diem)
}

type LimitRow = { type: 'RPM' | 'TPM'; amount: number }

function modelLimits(caller: Caller, nowMs: number) {
  return catalogue()
    .list('all', nowMs)
    .filter((model) => isPrivateEnough(model, caller))
    .filter(({ access }) => access === 'everyone' || caller.isPro || isWallet(caller))
    .map((model) => {
      const { requests, tokens } = limitsOfModel(model, caller.rateMultiplier)
      const rateLimits: LimitRow[] = []
      if (requests !== undefined) rateLimits.push({ type: 'RPM', amount: requests })
      if (tokens !== undefined) rateLimits.push({ type: 'TPM', amount: tokens })
      return { apiModelId: model.id, rateLimits }
    })
}

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
