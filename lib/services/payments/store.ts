import 'server-only'
import { NANO_PER_USDC_UNIT } from '@/lib/contract/chains'
import { nano, type Usd, usdNumber, ZERO } from '@/lib/contract/money'
import type { Database } from '@/lib/db/database'
import { isOutage } from '@/lib/db/outage'
import type { RequestContext } from '@/lib/kernel/request-context'
import type { Rail } from '@/lib/services/chains/rails'
import { ledgerUnavailable } from '@/lib/services/ledger/refusal'
import type { Paid, Payment, SignedPayload, Transfer, Wanted } from '@/lib/services/payments/payment-types'

export type Change = {
  state?: PaymentState
  transaction?: string
  block?: bigint
  reason?: string
  misses?: number
  isFinal?: boolean
  nextCheckSeconds?: number
}

export type Credited = { row: PaymentRow; accountId: string; isNew: boolean; hasServed: boolean }

export const LEASE_SECONDS = 15

export type PaymentStore = ReturnType<typeof createStore>

/** Makes the statements on the table `payment`. They throw SERVICE_UNAVAILABLE while the database is away. */
export function createStore(database: () => Promise<Database>) {
  async function ask<Row>(text: string, parameters: unknown[]): Promise<Row[]> {
    try {
      return await (await database()).query<Row>(text, parameters)
    } catch (error) {
      throw isOutage(error) ? ledgerUnavailable(error) : error
    }
  }
  const one = async (text: string, parameters: unknown[]): Promise<PaymentRow | undefined> => {
    const [row] = await ask<Wire>(text, parameters)
    return row && toRow(row)
  }

  return {
    find: (key: string) => one(`select ${COLUMNS} from payment where key = $1`, [key]),

    /** Inserts a payment before anything is done with it, leased to the caller; undefined when it is there already. */
    receive: (payment: Payment, deadAfter: bigint, proof?: string) =>
      one(
        `insert into payment (id, key, network, payer, amount, payload, may_serve, dead_after, attempts, lease_until)
         values (gen_random_uuid(), $1, $2, $3, $4::bigint, $5::jsonb, $6, $7::bigint, 1, now() + make_interval(secs => $8))
         on conflict (key) do nothing returning ${COLUMNS}`,
        [
          payment.key,
          payment.network,
          payment.payer,
          payment.amount.toString(),
          JSON.stringify(toStored(payment, proof)),
          proof !== undefined,
          toDeadAfter(deadAfter),
          LEASE_SECONDS,
        ],
      ),

    /** Leases a payment that is free. What was sent now may be good for longer than what was sent first. */
    claim: (key: string, deadAfter?: bigint) =>
      one(
        `update payment set lease_until = now() + make_interval(secs => $2), attempts = attempts + 1,
           dead_after = greatest(dead_after, $3::bigint)
         where key = $1 and state <> 'credited' and (lease_until is null or lease_until < now()) returning ${COLUMNS}`,
        [key, LEASE_SECONDS, deadAfter === undefined ? null : toDeadAfter(deadAfter)],
      ),

    due: async (max: number, isEarly: boolean, seen: string[]) =>
      (
        await ask<Wire>(`select ${COLUMNS} from due_payments($1, $2, $3, $4::uuid[])`, [
          max,
          LEASE_SECONDS,
          isEarly,
          seen,
        ])
      ).map(toRow),

    renew: async (row: PaymentRow): Promise<void> => {
      await ask(
        'update payment set lease_until = now() + make_interval(secs => $3) where id = $1 and attempts = $2 and lease_until is not null',
        [row.id, row.attempts, LEASE_SECONDS],
      )
    },

    /** @returns false when another took the payment over in the meantime or it was credited. */
    note: async (row: PaymentRow, change: Change): Promise<boolean> => {
      const { state, transaction, block, reason, misses, isFinal, nextCheckSeconds } = change
      const rows = await ask(
        `update payment set state = coalesce($3::text, state), transaction = coalesce($4::text, transaction),
           block = coalesce($5::bigint, block), reason = coalesce($6::text, reason), misses = coalesce($7::int, misses),
           is_final = coalesce($8::boolean, is_final),
           lease_until = case when $9::float8 is null then lease_until end,
           next_check_at = case when $9::float8 is null then next_check_at else now() + make_interval(secs => $9::float8) end
         where id = $1 and attempts = $2 and (state <> 'credited' or $3::text is null) returning id`,
        [
          row.id,
          row.attempts,
          state ?? null,
          transaction ?? null,
          block?.toString() ?? null,
          reason ?? null,
          misses ?? null,
          isFinal ?? null,
          nextCheckSeconds ?? null,
        ],
      )
      return rows.length > 0
    },

    /** Credits a payment that is on its chain: money, account and row in one statement. */
    credit: async (id: string, paid: Paid, proof?: string): Promise<Credited> => {
      const [made] = await ask<{ outcome: string; accountId: string; served: boolean }>(
        `select outcome, account_id as "accountId", served
         from credit_payment($1::uuid, $2, $3::bigint, $4::bigint, $5, $6)`,
        [id, paid.transaction, paid.block.toString(), paid.amount.toString(), paid.isFinal, proof ?? null],
      )
      const row = await one(`select ${COLUMNS} from payment where id = $1`, [id])
      if (!made || !row) throw new Error(`the payment ${id} is gone`)
      return { row, accountId: made.accountId, isNew: made.outcome === 'applied', hasServed: made.served }
    },

    /** Reverses the credit, in nano-dollars; undefined when there is none left, or the row is another's. */
    reverse: async (
      { id, attempts }: PaymentRow,
      why: string,
    ): Promise<{ taken: string; writtenOff: string } | undefined> => {
      const [row] = await ask<{ taken: string; writtenOff: string }>(
        'select taken, written_off as "writtenOff" from reverse_payment($1::uuid, $2, $3)',
        [id, attempts, why],
      )
      return row
    },

    serve: async (id: string, proof: string): Promise<boolean> => {
      const rows = await ask(
        `update payment p set may_serve = false where p.id = $1 and p.state = 'credited' and can_serve(p, $2) returning p.id`,
        [id, proof],
      )
      return rows.length > 0
    },

    adopt: async (transfer: Transfer, { network, payTo }: Rail): Promise<PaymentRow> => {
      const { key, payer, amount, transaction, block } = transfer
      const made = await one(
        `insert into payment (id, key, network, payer, amount, transaction, block, payload, state)
         values (gen_random_uuid(), $1, $2, $3, $4::bigint, $5, $6::bigint, $7::jsonb, 'confirming')
         on conflict (key) do nothing returning ${COLUMNS}`,
        [key, network, payer, amount.toString(), transaction, block.toString(), JSON.stringify({ payTo })],
      )
      const row = made ?? (await one(`select ${COLUMNS} from payment where key = $1`, [key]))
      if (!row) throw new Error(`the payment ${key} is gone`)
      return row
    },
  }
}

export type PaymentState = 'received' | 'settling' | 'unknown' | 'confirming' | 'credited' | 'failed' | 'reversed'

export type PaymentRow = {
  id: string
  key: string
  network: string
  payer: string
  amount: bigint
  state: PaymentState
  transaction?: string
  reason?: string
  block?: bigint
  misses: number
  /** Fencing token: counts who worked on it; only the last one may write. */
  attempts: number
  ageSeconds: number
  balanceAfter?: Usd
  isFinal: boolean
  payTo?: string
  wanted: Wanted
}

/**
 * A payment is searched for from this long before it was first seen. On Solana it names a block of the last minutes.
 */
const SEARCH_BACK_SECONDS = { evm: 86_400n, solana: 600n }
const MAX_DEAD_AFTER = 2n ** 63n - 1n

/** The drivers return integers and times as different types: text is the same on both. */
const COLUMNS = `id, key, network, payer, amount::text as amount, payload, state, transaction, reason,
  dead_after::text as "deadAfter", attempts, balance_after::text as "balanceAfter", is_final as "isFinal",
  block::text as block, misses, extract(epoch from created_at)::bigint::text as "createdAt",
  extract(epoch from now() - created_at)::float8 as "ageSeconds"`

export type Wire = Omit<
  PaymentRow,
  'amount' | 'block' | 'balanceAfter' | 'wanted' | 'transaction' | 'reason' | 'payTo'
> & {
  amount: string
  payload: StoredPayload | null
  transaction: string | null
  reason: string | null
  deadAfter: string | null
  balanceAfter: string | null
  block: string | null
  createdAt: string
}
type StoredPayload = {
  family?: 'evm' | 'solana'
  payTo?: string
  validAfter?: string
  sourceAccount?: string
  proof?: string
  payload?: unknown
}

function toStored(payment: Payment, proof: string | undefined): StoredPayload {
  const { family, payload } = payment as SignedPayload
  const stored = { family, payload, proof, payTo: payment.rail.payTo }
  if (payment.family === 'evm') return { ...stored, validAfter: payment.validAfter.toString() }
  return { ...stored, sourceAccount: payment.sourceAccount }
}

function toRow({ payload, deadAfter, createdAt, ...wire }: Wire): PaymentRow {
  const transaction = wire.transaction ?? undefined
  const searchFrom = BigInt(createdAt) - SEARCH_BACK_SECONDS[payload?.family ?? 'evm']
  const validAfter = BigInt(payload?.validAfter ?? 0)
  return {
    ...wire,
    amount: BigInt(wire.amount),
    transaction,
    payTo: payload?.payTo,
    reason: wire.reason ?? undefined,
    block: wire.block === null ? undefined : BigInt(wire.block),
    balanceAfter: wire.balanceAfter === null ? undefined : nano(BigInt(wire.balanceAfter)),
    wanted: {
      key: wire.key,
      payer: wire.payer,
      transaction,
      notBefore: validAfter > searchFrom ? validAfter : searchFrom,
      deadAfter: deadAfter === null ? undefined : BigInt(deadAfter),
      sourceAccount: payload?.sourceAccount,
    },
  }
}

const toDeadAfter = (value: bigint): string => String(value < MAX_DEAD_AFTER ? value : MAX_DEAD_AFTER)

export const receiptOf = ({ id, payer, amount, balanceAfter }: PaymentRow) => ({
  success: true,
  data: {
    walletAddress: payer,
    amountCredited: usdNumber(nano(amount * NANO_PER_USDC_UNIT)),
    newBalance: usdNumber(balanceAfter ?? ZERO),
    paymentId: id,
  },
})

export function noteReceipt(
  { facts }: RequestContext,
  { network, payer, transaction, balanceAfter }: PaymentRow,
): void {
  const response = { success: true, network, payer, transaction: transaction ?? '' }
  facts.paymentResponse = Buffer.from(JSON.stringify(response)).toString('base64')
  facts.balanceRemaining = balanceAfter
}
