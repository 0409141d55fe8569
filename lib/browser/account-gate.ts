import { moneyOf } from '@/lib/browser/format/cost'
import { queryClient, sessionQuery } from '@/lib/browser/queries'
import { ensureSession, forgetSession, SESSION_KEY } from '@/lib/browser/session'
import type { Session } from '@/lib/browser/session-type'
import { openTopUp } from '@/lib/browser/top-up-dialog'
import { ApiError } from '@/lib/contract/errors'
import { nano } from '@/lib/contract/money'
import { ADMISSION_MINIMUM } from '@/lib/contract/prices'

/** Why something was not sent; it is still where it was written. */
export type Kept = 'not-signed-in' | 'no-credit'

/** What the person who meets the gate is about to do. */
export type Passage = {
  /** As the beginning of a sentence: `To send this message`. */
  why: string
  /** Said when there is no credit: `Your message is sent once you add credit.` */
  whyCredit: string
  isFree: boolean
}

/** Whether something may go out without asking the person for anything first. */
export function isGateOpen(): boolean {
  const session = queryClient().getQueryData<Session | null>(SESSION_KEY)
  return session !== null && session !== undefined && !isOver(session)
}

/** The same, after asking the service what the page could not ask yet: it was opened without a connection. */
export async function opensGate(): Promise<boolean> {
  await knownSession()
  return isGateOpen()
}

/**
 * Sees to a session, and to credit where the wallet that just signed in has none: both need a click of the person who
 * just sent something. Whatever else may be wrong is said in the place of the answer.
 */
export async function passGate({ why, whyCredit, isFree }: Passage): Promise<Kept | undefined> {
  const known = await knownSession()
  if (known && !isOver(known)) return undefined
  if (known) forgetSession(queryClient())
  const opened = await newSession(why)
  if (opened === 'closed') return 'not-signed-in'
  if (opened?.kind !== 'wallet' || isFree || hasCredit()) return undefined
  return (await openTopUp({ needed: ADMISSION_MINIMUM, why: whyCredit })) ? undefined : 'no-credit'
}

/** The session that the service knows this browser by, where the page has not asked yet. */
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

/** Read anew: the dialog that signed in may have added credit, too. */
function hasCredit(): boolean {
  const session = queryClient().getQueryData<Session | null>(SESSION_KEY)
  return !session || nano(moneyOf(session.balanceUsd) + moneyOf(session.balanceDiem)) >= ADMISSION_MINIMUM
}

const isOver = ({ expiresAt }: Session): boolean => Date.parse(expiresAt) <= Date.now()
