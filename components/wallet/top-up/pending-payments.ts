import type { PendingPayment } from '@/components/wallet/top-up/top-up'
import { isRecord } from '@/lib/browser/api'

const KEY_PREFIX = 'lagoon:payment:'
const MAX_PENDING_PAYMENTS = 20

/**
 * Keeps a payment that was signed and has no outcome yet. localStorage is written before the next line runs, so that a
 * page that dies while it sends still finds what it sent. A payment can only credit its payer, so it is no secret.
 */
export function keepPayment(payment: PendingPayment): void {
  try {
    localStorage.setItem(KEY_PREFIX + payment.id, JSON.stringify({ ...payment, units: String(payment.units) }))
  } catch {
    // Storage is off or full: the payment then lasts as long as the page. The service finds it on its chain, too.
  }
}

export function dropPayment(id: string): void {
  try {
    localStorage.removeItem(KEY_PREFIX + id)
  } catch {
    // As above.
  }
}

export function pendingPayments(): PendingPayment[] {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(KEY_PREFIX))
    const pending = keys.flatMap((key) => paymentOf(localStorage.getItem(key)) ?? [])
    return pending.sort((a, b) => b.signedAt - a.signedAt).slice(0, MAX_PENDING_PAYMENTS)
  } catch {
    return []
  }
}

function paymentOf(stored: string | null): PendingPayment | undefined {
  try {
    const value: unknown = JSON.parse(stored ?? '')
    if (!isRecord(value) || typeof value.header !== 'string' || typeof value.units !== 'string') return undefined
    // Written by `keepPayment` above.
    return { ...(value as Omit<PendingPayment, 'units'>), units: BigInt(value.units) }
  } catch {
    return undefined
  }
}
