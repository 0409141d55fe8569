import { getAddress } from 'viem/utils'
import { familyOf } from '@/lib/contract/chains'
import { signInHeader } from '@/lib/contract/headers'
import { usdNumber } from '@/lib/contract/money'
import type { Service, SessionReply, Session as ShownSession } from '@/lib/contract/session'
import { openGuestSession } from '@/lib/endpoints/session/guest'
import { config } from '@/lib/kernel/config'
import type { RequestContext } from '@/lib/kernel/request-context'
import { assertActive, callerOfSession, callerOfWallet } from '@/lib/pipeline/admit'
import { type Reply, uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { rails } from '@/lib/services/chains/rails'
import { type Session, verifySession } from '@/lib/services/identity/credentials'
import { assertSameOrigin, isSameOrigin } from '@/lib/services/identity/same-origin-cookie'
import { clearedCookie, closeSession, extendSession, hasGuests, sessionSecret } from '@/lib/services/identity/session'
import { verifySignIn } from '@/lib/services/identity/sign-in/verify'
import { browserName, openWalletSession } from '@/lib/services/identity/sign-in/wallet-sessions'
import { balancesOf } from '@/lib/services/ledger/ledger'
import { creditOf } from '@/lib/services/ledger/ledger-types'
import { limitRoute } from '@/lib/services/limits/limits'
import { modelPreparation } from '@/lib/services/models/preparation'
import { refreshAllowance, stakingOf } from '@/lib/services/payments/staking'

const OWN_PAGES =
  'A browser session can be opened and ended only by this service’s own pages. Use an API key or a wallet’s header.'

// Shows this browser's session and what the service offers. A page of another origin sees no session.
async function show(context: RequestContext): Promise<Reply> {
  if (!isSameOrigin(context.headers)) return reply(null)
  return (
    (await known(context)) ?? reply(null, sessionSecret(context.headers) === undefined ? undefined : clearedCookie())
  )
}

// Opens a session for a wallet with a proof; without one returns this browser's session, or a new guest's.
async function open(context: RequestContext): Promise<Reply> {
  assertSameOrigin(context, OWN_PAGES)
  if (signInHeader(context.headers) !== undefined) return openForWallet(context)
  const shown = await known(context)
  if (shown) return shown
  const { session, cookie } = await openGuestSession(context.clientAddress, Date.now(), browserOf(context))
  return describe(context, session, cookie)
}

async function openForWallet(context: RequestContext): Promise<Reply> {
  const wallet = await verifySignIn(context, { mayRepeat: false })
  assertActive(wallet.status)
  await limitRoute(context, callerOfWallet(wallet), 'default')
  const { session, cookie } = await openWalletSession(wallet, browserOf(context))
  // The browser keeps one cookie: what it opened before could not be ended by anybody.
  const before = sessionSecret(context.headers)
  if (before !== undefined) await closeSession(before)
  return describe(context, session, cookie)
}

async function end(context: RequestContext): Promise<Reply> {
  assertSameOrigin(context, OWN_PAGES)
  const secret = sessionSecret(context.headers)
  if (secret !== undefined) await closeSession(secret)
  return reply(null, clearedCookie())
}

async function known(context: RequestContext): Promise<Reply | undefined> {
  const secret = sessionSecret(context.headers)
  const session = secret === undefined ? undefined : await verifySession(secret)
  if (secret === undefined || !session) return undefined
  await limitRoute(context, callerOfSession(session), 'default')
  const extended = await extendSession(session, secret)
  const shown = await describe(context, extended?.session ?? session, extended?.cookie)
  return extended ? { ...shown, headers: { ...shown.headers, 'x-auth-refreshed': 'true' } } : shown
}

async function describe(context: RequestContext, session: Session, cookie?: string): Promise<Reply> {
  context.facts.accountId = session.accountId
  // Today's credit is given when it is first looked at.
  await refreshAllowance(callerOfSession(session))
  const balances = await balancesOf(session.accountId)
  const { address } = session.account
  const shown: ShownSession = {
    id: session.id,
    kind: session.kind,
    address: (address !== undefined && checksummed(address)) || null,
    family: (address !== undefined && familyOf(address)) || null,
    balanceUsd: usdNumber(creditOf(balances)),
    balanceDiem: usdNumber(balances.DIEM),
    expiresAt: session.expiresAt.toISOString(),
    sandbox: config().isSandbox,
  }
  return reply(shown, cookie)
}

const checksummed = (address: string): string => (familyOf(address) === 'evm' ? getAddress(address) : address)

function reply(session: ShownSession | null, cookie?: string): Reply {
  const shown: SessionReply = { session, service: service(), preparation: modelPreparation() ?? null }
  return uncachedJson(shown, cookie === undefined ? {} : { headers: { 'Set-Cookie': cookie } })
}

function service(): Service {
  const { isSandbox, sandboxWallets, version, operator, sourceUrl } = config()
  return {
    sandbox: isSandbox,
    wallets: isSandbox ? sandboxWallets : 'any',
    guests: hasGuests(),
    rails: rails().map(({ family }) => family),
    staking: stakingOf() !== undefined,
    version,
    operator: { name: operator.name ?? null, url: operator.url ?? null },
    sourceUrl: sourceUrl ?? null,
  }
}

const browserOf = ({ headers }: RequestContext): string => browserName(headers.get('user-agent'))

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: show,
  POST: open,
  DELETE: end,
})
