import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { getDb } from '@/lib/db/client'
import { config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import type { Rail } from '@/lib/services/chains/rails'
import { ChainUnavailable, chainOf } from '@/lib/services/payments/chain'
import { paymentError, paymentInProgress, settlementPending } from '@/lib/services/payments/errors'
import { type Facilitator, facilitator } from '@/lib/services/payments/facilitator'
import type { Chain, Payment } from '@/lib/services/payments/payment-types'
import { assertInTime, assertSigned } from '@/lib/services/payments/read-payment'
import { NEXT_CHECK_SECONDS, type Point, settlePayment, WAITS_MS } from '@/lib/services/payments/settlement'
import { createStore, LEASE_SECONDS, type PaymentRow, type PaymentStore } from '@/lib/services/payments/store'

const RENEW_EVERY_MS = (LEASE_SECONDS * 1_000) / 3
const RETRY_AFTER_SECONDS = 5

type Dependencies = {
  store: PaymentStore
  chainOf: (rail: Rail) => Chain
  facilitator: () => Promise<Facilitator>
  waitsMs?: readonly number[]
  at?: (point: Point) => Promise<void> | void
  now?: () => number
}

type TopUp = {
  row: PaymentRow
  hasServed: boolean
}

export type TopUps = ReturnType<typeof createTopUps>

export const topUps = (): TopUps =>
  perProcess('top-ups', () => createTopUps({ store: createStore(getDb), chainOf, facilitator }))

export function createTopUps(dependencies: Dependencies) {
  const { store, now = Date.now } = dependencies

  /**
   * Settles and credits a payment once, however often and in whatever spelling it comes.
   * @param proof of the request that the payment is to serve; undefined for a plain top-up.
   * @throws ApiError of x402.md 4.3 rows 10 to 13.
   */
  async function credit(payment: Payment, proof?: string): Promise<TopUp> {
    const chain = dependencies.chainOf(payment.rail)
    const begun = await untouched(payment, () => begin(payment, chain, proof))
    return 'hasServed' in begun ? begun : work(begun, payment, chain, proof)
  }

  async function begin(payment: Payment, chain: Chain, proof?: string): Promise<PaymentRow | TopUp> {
    await assertSigned(payment, chain)
    const known = await store.find(payment.key)
    if (known?.state === 'credited') return repeated(known, proof)
    if (!known) assertInTime(payment, now())
    const received = known ? undefined : await store.receive(payment, await chain.deadAfter(payment), proof)
    return received ?? (await claim(payment)) ?? acceptPayment(payment, proof)
  }

  const claim = (payment: Payment): Promise<PaymentRow | undefined> =>
    store.claim(payment.key, payment.family === 'evm' ? payment.validBefore : undefined)

  async function work(row: PaymentRow, payment: Payment, chain: Chain, proof?: string): Promise<TopUp> {
    const timer = setInterval(() => {
      store.renew(row).catch((error: unknown) => log().warn({ err: error, payment: row.id }, 'a lease was not renewed'))
    }, RENEW_EVERY_MS)
    timer.unref()
    try {
      const { waitsMs = WAITS_MS, at = () => undefined } = dependencies
      const facilitator = await dependencies.facilitator().catch((cause: unknown) => {
        throw settlementPending(row, cause)
      })
      const tools = { store, chain, facilitator, waitsMs, at }
      const { row: credited, hasServed, isNew } = await settlePayment(tools, row, payment, proof)
      if (isNew) noteCredit(credited)
      return { row: credited, hasServed }
    } catch (error) {
      // Whatever broke, others may try soon; if the database is away, the lease ends by itself.
      await store.note(row, { nextCheckSeconds: NEXT_CHECK_SECONDS }).catch(() => undefined)
      if (error instanceof ApiError) throw error
      log().error({ payment: row.id, err: error }, 'a payment could not be processed')
      throw settlementPending(row, error)
    } finally {
      clearInterval(timer)
    }
  }

  async function acceptPayment(payment: Payment, proof?: string): Promise<TopUp> {
    const row = await store.find(payment.key)
    if (row?.state === 'credited') return repeated(row, proof)
    throw paymentInProgress(row?.id ?? '')
  }

  async function repeated(row: PaymentRow, proof?: string): Promise<TopUp> {
    return { row, hasServed: proof !== undefined && (await store.serve(row.id, proof)) }
  }

  return { credit }
}

async function untouched<T>({ key }: Payment, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    const isAway =
      cause instanceof ChainUnavailable || (cause instanceof ApiError && cause.code === 'SERVICE_UNAVAILABLE')
    if (cause instanceof ApiError && !isAway) throw cause
    if (!isAway) log().error({ key, err: cause }, 'a payment could not be started')
    throw paymentError(
      isAway ? 'SERVICE_UNAVAILABLE' : 'UNKNOWN_ERROR',
      'Payments are temporarily unavailable. Do not sign a new one: send the same payment again in a few seconds.',
      { cause, retryAfterSeconds: RETRY_AFTER_SECONDS },
    )
  }
}

export function noteCredit({ id, network, payer, amount, transaction }: PaymentRow): void {
  const units = amount.toString()
  log().info({ payment: id, network, payer, units, transaction, sandbox: config().isSandbox }, 'payment credited')
}
