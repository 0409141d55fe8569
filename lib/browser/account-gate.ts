import type { QueryClient } from '@tanstack/react-query'
import { openTopUp, openWallet } from '@/lib/browser/dialogs'
import { moneyOf } from '@/lib/browser/format/cost'
import { queryClient, sessionQuery } from '@/lib/browser/queries'
import { askService, forgetSession, knownService, openGuest, rememberSession, SESSION_KEY } from '@/lib/browser/session'
import { ApiError } from '@/lib/contract/errors'
import { nano } from '@/lib/contract/money'
import { ADMISSION_MINIMUM } from '@/lib/contract/prices'
import type { Session } from '@/lib/contract/session'
import { t } from '@/lib/i18n/t'

export type GateRefusal = 'not-signed-in' | 'no-credit'

export type Passage = { why: string; whyCredit: string; isFree: boolean }

export function isGateOpen(): boolean {
  const session = queryClient().getQueryData<Session | null>(SESSION_KEY)
  return session !== null && session !== undefined && !isOver(session)
}

/** Asks the service for the session first, where the page was opened without a connection. */
export async function opensGate(): Promise<boolean> {
  await knownSession()
  return isGateOpen()
}

/**
 * Opens a session, and adds credit where the wallet that just signed in has none: both need a click. Other obstacles
 * are shown in place of the answer.
 */
export async function passGate({ why, whyCredit, isFree }: Passage): Promise<GateRefusal | undefined> {
  const known = await knownSession()
  if (known && !isOver(known)) return undefined
  if (known) forgetSession(queryClient())
  const opened = await newSession(why)
  if (opened === 'closed') return 'not-signed-in'
  if (opened?.kind !== 'wallet' || isFree || hasCredit()) return undefined
  return (await openTopUp({ needed: ADMISSION_MINIMUM, why: whyCredit })) ? undefined : 'no-credit'
}

async function knownSession(): Promise<Session | null | undefined> {
  return await queryClient()
    .ensureQueryData(sessionQuery())
    .catch(() => undefined)
}

async function newSession(why: string): Promise<Session | 'closed' | undefined> {
  try {
    return await ensureSession(queryClient(), why)
  } catch (error) {
    return error instanceof ApiError && error.code === 'UNAUTHORIZED' ? 'closed' : undefined
  }
}

let opening: Promise<Session> | undefined

/**
 * Opens a session on first use: a guest's where the service has guests, else a wallet's, by the dialog. Two sends at
 * once open one.
 * @param why what the person was about to do, as the beginning of a sentence.
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

async function openSession(isNone: boolean, why: string): Promise<Session> {
  const known = isNone ? knownService() : undefined
  const { session, service } = known ? { session: null, service: known } : await askService()
  const opened = session ?? (service.guests ? await openGuest() : await openWallet({ why }))
  if (!opened) throw new ApiError('UNAUTHORIZED', t('You’re not signed in. Your message is saved. Sign in to send it.'))
  return opened
}

function hasCredit(): boolean {
  const session = queryClient().getQueryData<Session | null>(SESSION_KEY)
  return !session || nano(moneyOf(session.balanceUsd) + moneyOf(session.balanceDiem)) >= ADMISSION_MINIMUM
}

const isOver = ({ expiresAt }: Session): boolean => Date.parse(expiresAt) <= Date.now()
