import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { errorOf, fetchJson } from '@/lib/browser/api'
import type { Session } from '@/lib/browser/session-type'
import { openWallet } from '@/lib/browser/wallet-dialog'
import type { Family } from '@/lib/contract/chains'
import { ApiError } from '@/lib/contract/errors'
import { t } from '@/lib/i18n/t'

export const SESSION_PATH = '/api/session'

/** Where the session lives in the query cache. */
export const SESSION_KEY = ['session'] as const

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
let knownService: Service | undefined

/** The session of this browser, if there is one. */
export async function fetchSession(signal?: AbortSignal): Promise<Session | null> {
  return (await askService(signal)).session
}

export const serviceQuery = () =>
  queryOptions({
    queryKey: ['service'],
    queryFn: async ({ signal }): Promise<Service> => knownService ?? (await askService(signal)).service,
    staleTime: Number.POSITIVE_INFINITY,
    // Without a connection it fails at once and can be said so, instead of waiting in silence.
    networkMode: 'always',
  })

/** What this service offers; `undefined` until it has said so. */
export function useService(): Service | undefined {
  return useQuery(serviceQuery()).data
}

let opening: Promise<Session> | undefined

/**
 * The session to ask with, opened on first use: a guest's where the service has guests, else a wallet's, by the dialog. Two
 * sends at once open one.
 *
 * @param why what the person was about to do, for the dialog: the beginning of a sentence.
 * @throws ApiError UNAUTHORIZED when the dialog was closed, or whatever the service answers.
 */
export async function ensureSession(client: QueryClient, why = t('To send this message')): Promise<Session> {
  const known = client.getQueryData<Session | null>(SESSION_KEY)
  if (known) return known
  opening ??= openSession(known === null, why).finally(() => {
    opening = undefined
  })
  const session = await opening
  await rememberSession(client, session)
  return session
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

/** @param isNone the page has looked already and there was no session. */
async function openSession(isNone: boolean, why: string): Promise<Session> {
  const { session, service } = isNone && knownService ? { session: null, service: knownService } : await askService()
  const opened = session ?? (service.guests ? await openGuest() : await openWallet({ why }))
  if (!opened) throw new ApiError('UNAUTHORIZED', t('You’re not signed in. Your message is saved. Sign in to send it.'))
  return opened
}

async function openGuest(): Promise<Session | null> {
  const response = await fetch(SESSION_PATH, { method: 'POST' })
  if (!response.ok) throw await errorOf(response)
  return ((await response.json()) as SessionReply).session
}

async function askService(signal?: AbortSignal): Promise<SessionReply> {
  const reply = await fetchJson<SessionReply>(SESSION_PATH, signal ? { signal } : {})
  knownService = reply.service
  return reply
}
