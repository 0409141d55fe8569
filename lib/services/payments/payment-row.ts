import 'server-only'
import { NANO_PER_USDC_UNIT } from '@/lib/contract/chains'
import { nano, type Usd, usdNumber, ZERO } from '@/lib/contract/money'
import type { RequestContext } from '@/lib/kernel/request-context'
import type { Payment, SignedPayload, Wanted } from '@/lib/services/payments/payment-types'

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
export const COLUMNS = `id, key, network, payer, amount::text as amount, payload, state, transaction, reason,
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

export function toStored(payment: Payment, proof: string | undefined): StoredPayload {
  const { family, payload } = payment as SignedPayload
  const stored = { family, payload, proof, payTo: payment.rail.payTo }
  if (payment.family === 'evm') return { ...stored, validAfter: payment.validAfter.toString() }
  return { ...stored, sourceAccount: payment.sourceAccount }
}

export function toRow({ payload, deadAfter, createdAt, ...wire }: Wire): PaymentRow {
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

export const toDeadAfter = (value: bigint): string => String(value < MAX_DEAD_AFTER ? value : MAX_DEAD_AFTER)

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
