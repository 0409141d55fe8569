import { payerOf } from '@/lib/browser/charge'
import { queryClient, sessionQuery } from '@/lib/browser/queries'
import { SESSION_KEY } from '@/lib/browser/session'
import type { Session } from '@/lib/contract/session'

/** A tab that is hidden for longer asks no more until it is looked at again. */
export const HIDDEN_FOR_LONG_MS = 5 * 60_000

// `world`: a connection or a look at the tab; `session`: a sign-in or sign-out.
type Change = 'world' | 'session'

let hiddenSince: number | undefined
const listeners = new Set<(change: Change) => void>()

/** Waits until there is a connection, the tab is or was lately visible, and the payer is signed in. */
export async function awake(payer: string | undefined, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(isReachable() && isLookedAt() && (await isPayer(payer)))) {
    await nextChange(['world', 'session'], signal)
  }
}

/** Waits for a time, or until a connection is back or the tab is visible again. True where that ended it. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), ms)
  const isWoken = await nextChange(['world'], AbortSignal.any([signal, over.signal]))
  clearTimeout(timer)
  return isWoken
}

export function watchWorld(): () => void {
  const tell = (change: Change) => {
    for (const listener of [...listeners]) listener(change)
  }
  const onOnline = () => tell('world')
  const onVisibility = () => {
    hiddenSince = globalThis.document?.hidden ? (hiddenSince ?? Date.now()) : undefined
    if (hiddenSince === undefined) tell('world')
  }
  onVisibility()
  globalThis.addEventListener?.('online', onOnline)
  globalThis.document?.addEventListener('visibilitychange', onVisibility)
  const leaveCache = queryClient()
    .getQueryCache()
    .subscribe(({ type, query }) => {
      if (type === 'updated' && query.queryKey[0] === SESSION_KEY[0]) tell('session')
    })
  return () => {
    globalThis.removeEventListener?.('online', onOnline)
    globalThis.document?.removeEventListener('visibilitychange', onVisibility)
    leaveCache()
  }
}

const isReachable = (): boolean => globalThis.navigator?.onLine !== false

const isLookedAt = (): boolean => hiddenSince === undefined || Date.now() - hiddenSince < HIDDEN_FOR_LONG_MS

// Only the payer is told of a job. A session that cannot be loaded is no reason to wait: the service says so
// itself.
async function isPayer(payer: string | undefined): Promise<boolean> {
  const client = queryClient()
  const known = client.getQueryData<Session | null>(SESSION_KEY)
  const session = known === undefined ? await client.ensureQueryData(sessionQuery()).catch(() => undefined) : known
  if (session === undefined) return true
  return session !== null && (payer === undefined || payerOf(session) === payer)
}

function nextChange(wanted: readonly Change[], signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isChange: boolean) => {
      listeners.delete(onChange)
      signal.removeEventListener('abort', onAbort)
      resolve(isChange)
    }
    const onChange = (change: Change) => {
      if (wanted.includes(change)) finish(true)
    }
    const onAbort = () => finish(false)
    if (signal.aborted) return finish(false)
    signal.addEventListener('abort', onAbort, { once: true })
    listeners.add(onChange)
  })
}
