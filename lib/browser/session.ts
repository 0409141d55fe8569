import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { errorOf, fetchJson } from '@/lib/browser/api'
import type { Family } from '@/lib/contract/chains'

export const SESSION_PATH = '/api/session'

/** Where the session lives in the query cache. */
export const SESSION_KEY = ['session'] as const

/** Who the browser is to the service. The proof itself is an HttpOnly cookie that the page never sees. */
export type Session = {
  id: string
  kind: 'guest' | 'wallet' | 'account'
  /** The wallet as people read it: EVM with its checksum. */
  address: string | null
  family: Family | null
  /** Dollars. */
  balanceUsd: number
  balanceDiem: number
  /** ISO 8601. */
  expiresAt: string
  /** The money is test money. */
  sandbox: boolean
}

/** What this service offers, the same for everybody. */
export type Service = {
  /** The chains are local and the money is test money. */
  sandbox: boolean
  /** `test`: the page offers its built-in wallet only. */
  wallets: 'test' | 'any'
  /** Questions can be asked before signing in. */
  guests: boolean
  /** Ways to add credit. */
  rails: Family[]
  /** Staked tokens give daily credit. */
  staking: boolean
  /** The running build, `YYYYMMDD.HHMMSS`. */
  version: string
  /** Who runs this service, where the operator says so. */
  operator: { name: string | null; url: string | null }
  sourceUrl: string | null
}

export type SessionReply = { session: Session | null; service: Service }

/** It changes with a restart of the service only, so the first word holds for the life of the page. */
let service: Service | undefined

export const knownService = (): Service | undefined => service

/** The session of this browser, if there is one. */
export async function fetchSession(signal?: AbortSignal): Promise<Session | null> {
  return (await askService(signal)).session
}

export const serviceQuery = () =>
  queryOptions({
    queryKey: ['service'],
    queryFn: async ({ signal }): Promise<Service> => service ?? (await askService(signal)).service,
    staleTime: Number.POSITIVE_INFINITY,
    // Without a connection it fails at once and can be said so, instead of waiting in silence.
    networkMode: 'always',
  })

/** What this service offers; `undefined` until it has said so. */
export function useService(): Service | undefined {
  return useQuery(serviceQuery()).data
}

/** Puts a session that was just opened or ended where the page looks for it. An older look at it no longer counts. */
export async function rememberSession(client: QueryClient, session: Session | null): Promise<void> {
  await client.cancelQueries({ queryKey: SESSION_KEY })
  client.setQueryData(SESSION_KEY, session)
}

/** Forgets what is known about the session, so that the next send opens a new one where it has ended. */
export function forgetSession(client: QueryClient): void {
  client.setQueryData(SESSION_KEY, null)
}

/** Ends the session of this browser. The wallet stays connected: it is asked for nothing. @throws ApiError */
export async function signOut(client: QueryClient): Promise<void> {
  const response = await fetch(SESSION_PATH, { method: 'DELETE' })
  if (!response.ok) throw await errorOf(response)
  await rememberSession(client, null)
}

/** Begins a guest session with test credit. @throws ApiError */
export async function openGuest(): Promise<Session | null> {
  const response = await fetch(SESSION_PATH, { method: 'POST' })
  if (!response.ok) throw await errorOf(response)
  return ((await response.json()) as SessionReply).session
}

/** Asks who this browser is, and what the service offers. @throws ApiError */
export async function askService(signal?: AbortSignal): Promise<SessionReply> {
  const reply = await fetchJson<SessionReply>(SESSION_PATH, signal ? { signal } : {})
  service = reply.service
  return reply
}
