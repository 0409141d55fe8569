import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { getDb } from '@/lib/db/client'
import { log } from '@/lib/kernel/log'
import { rails } from '@/lib/services/chains/rails'
import { chainOf } from '@/lib/services/payments/chain'
import { facilitator } from '@/lib/services/payments/facilitator'
import { type Resolution, reconcilePayments } from '@/lib/services/payments/reconcile'
import { type RailScan, scanRails } from '@/lib/services/payments/scan'
import { createStore } from '@/lib/services/payments/store'

const TICK_MS = 2_000
/** After a fault that is not the chain's: the database is away. */
const PAUSE_MS = 10_000

const holder = globalThis as typeof globalThis & {
  __serviceReconciler?: { stop: AbortController; ended: Promise<void> }
}

const tools = { store: createStore(getDb), database: getDb, rails, chainOf }

/** Looks after open payments in the background of this process, until it is stopped. Several processes share the work. */
export function startReconciler(): void {
  if (holder.__serviceReconciler) return
  const stop = new AbortController()
  warmUp()
  holder.__serviceReconciler = { stop, ended: run(stop.signal) }
}

/** Ends the background work; resolves when what was begun is ended. */
export async function stopReconciler(): Promise<void> {
  const running = holder.__serviceReconciler
  holder.__serviceReconciler = undefined
  running?.stop.abort()
  await running?.ended
}

/** Everything at once and now: all open payments, and all transfers since the last scan. */
export async function reconcileNow(
  from: Record<string, string> = {},
): Promise<{ resolutions: Resolution[]; scans: RailScan[] }> {
  const scans = await scanRails(tools, { isForced: true, from })
  return { resolutions: await reconcilePayments(tools, { isEarly: true }), scans }
}

/** Gets the facilitator ready, so that the first 402 does not wait for it. What fails here is tried again there. */
function warmUp(): void {
  if (rails().length === 0) return
  void facilitator()
    .then((ready) => ready.feePayer())
    .catch((error: unknown) => log().warn({ err: error }, 'the facilitator is not ready'))
}

/** The first round waits for nobody's turn: what an ended process left open is looked at now. */
async function run(signal: AbortSignal): Promise<void> {
  let isFirst = true
  while (!signal.aborted) {
    let waitMs = TICK_MS
    try {
      if (rails().length > 0) {
        await reconcilePayments(tools, { isEarly: isFirst })
        await scanRails(tools, { isForced: isFirst })
        isFirst = false
      }
    } catch (error) {
      waitMs = PAUSE_MS
      log().warn({ err: error }, 'open payments could not be looked after')
    }
    await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
