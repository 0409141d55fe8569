import type { QueryClient } from '@tanstack/react-query'
import { errorOf, fetchJson } from '@/lib/client/api'

const SESSION_PATH = '/api/session'

/** Where the session lives in the query cache. */
export const SESSION_KEY = ['session'] as const

/** Who the browser is to the service. The proof itself is an HttpOnly cookie that the page never sees. */
export type Session = {
  kind: 'guest' | 'wallet' | 'account'
  /** Dollars. */
  balanceUsd: number
  balanceDiem: number
  /** ISO 8601. */
  expiresAt: string
  /** The money is test money. */
  sandbox: boolean
}

/** The session of this browser, if there is one. */
export async function fetchSession(signal?: AbortSignal): Promise<Session | null> {
  const reply = await fetchJson<{ session: Session | null }>(SESSION_PATH, signal ? { signal } : {})
  return reply.session
}

let opening: Promise<Session | null> | undefined

/**
 * The session to ask with, opened on first use; two sends at once open one.
 *
 * @throws ApiError when the service opens none by itself (401, 403).
 */
export async function ensureSession(client: QueryClient): Promise<Session | null> {
  const known = client.getQueryData<Session | null>(SESSION_KEY)
  if (known) return known
  // The service answers with the session that is there, where the page only did not know of it.
  opening ??= openSession().finally(() => {
    opening = undefined
  })
  const session = await opening
  client.setQueryData(SESSION_KEY, session)
  return session
}

/** Forgets what is known about the session, so that the next send opens a new one where it has ended. */
export function forgetSession(client: QueryClient): void {
  client.setQueryData(SESSION_KEY, null)
}

async function openSession(): Promise<Session | null> {
  const response = await fetch(SESSION_PATH, { method: 'POST' })
  if (!response.ok) throw await errorOf(response)
  return ((await response.json()) as { session: Session | null }).session
}
