import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { fetchJson, request } from '@/lib/browser/api'
import type { Service, Session, SessionReply } from '@/lib/contract/session'

export const SESSION_PATH = '/api/session'

export const SESSION_KEY = ['session'] as const

/** Changes with a restart of the service only, so the first reply holds for the life of the page. */
let service: Service | undefined

export const knownService = (): Service | undefined => service

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

export function useService(): Service | undefined {
  return useQuery(serviceQuery()).data
}

/** Stores a session that was just opened or ended in the cache, and cancels older reads of it. */
export async function rememberSession(client: QueryClient, session: Session | null): Promise<void> {
  await client.cancelQueries({ queryKey: SESSION_KEY })
  client.setQueryData(SESSION_KEY, session)
}

export function forgetSession(client: QueryClient): void {
  client.setQueryData(SESSION_KEY, null)
}

/** Ends the session of this browser. The wallet stays connected. @throws ApiError */
export async function signOut(client: QueryClient): Promise<void> {
  await request(SESSION_PATH, { method: 'DELETE' })
  await rememberSession(client, null)
}

/** @throws ApiError */
export async function openGuest(): Promise<Session | null> {
  const response = await request(SESSION_PATH, { method: 'POST' })
  return ((await response.json()) as SessionReply).session
}

/** Fetches the session and what the service offers. @throws ApiError */
export async function askService(signal?: AbortSignal): Promise<SessionReply> {
  const reply = await fetchJson<SessionReply>(SESSION_PATH, signal ? { signal } : {})
  service = reply.service
  return reply
}
