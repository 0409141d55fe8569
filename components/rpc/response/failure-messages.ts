import type { RpcAnswer } from '@/components/rpc/client'
import { isRecord, text } from '@/lib/browser/api'
import type { Failure } from '@/lib/browser/failure'
import type { ErrorCode, Issue } from '@/lib/contract/errors'
import { msg, t } from '@/lib/i18n/t'

export type FailureMessage = {
  title: string
  advice: string
  issues: { place: string; message: string }[]
  // Unix milliseconds.
  retryAt?: number
  action?: 'sign-in' | 'credit'
  isFree: boolean
}

const MAX_ISSUES = 20

const TITLES: { [C in ErrorCode]?: string } = {
  INVALID_REQUEST: msg('Invalid request.'),
  UNSUPPORTED_RPC_METHOD: msg('Method not supported.'),
  UNSUPPORTED_RPC_NETWORK: msg('Unknown network.'),
  IDEMPOTENCY_KEY_REUSED: msg('This idempotency key was used for another request.'),
  IDEMPOTENCY_IN_PROGRESS: msg('The same call is still running.'),
  AUTHENTICATION_FAILED: msg('Your session expired.'),
  INSUFFICIENT_BALANCE: msg('Not enough credit for this call.'),
  API_KEY_USD_SPEND_LIMIT_EXCEEDED: msg('This key’s spending limit is reached.'),
  API_KEY_DIEM_SPEND_LIMIT_EXCEEDED: msg('This key’s spending limit is reached.'),
  PAYLOAD_TOO_LARGE: msg('The request is too large.'),
  RATE_LIMIT_EXCEEDED: msg('Rate limit reached.'),
  RPC_UPSTREAM_FAILED: msg('No node responded.'),
  RPC_NETWORK_NOT_CONFIGURED: msg('This network isn’t connected to this server.'),
  REQUEST_TIMEOUT: msg('The node timed out.'),
  SERVICE_UNAVAILABLE: msg('The service is unavailable.'),
}

export function refusalMessage(answer: RpcAnswer): FailureMessage | undefined {
  const { failure, status } = answer
  if (status >= 200 && status < 300) return undefined
  const code = failure?.code
  const body = isRecord(failure?.body) ? failure.body : {}
  const answered = t('The service returned {status}.', { status: String(status) })
  const message = failure?.message ?? answered
  const known = code && TITLES[code]
  const isDiscovery = code === 'PAYMENT_REQUIRED' && 'accepts' in body
  const retryAt = status === 429 ? retryTimeOf(answer) : undefined
  return {
    title: isDiscovery ? t('Sign in to run calls.') : known === undefined ? answered : t(known),
    advice: (status === 429 && text(body.customMessage)) || message,
    issues: issuesOf(failure?.issues ?? []),
    retryAt,
    action: status === 401 || isDiscovery ? 'sign-in' : code === 'INSUFFICIENT_BALANCE' ? 'credit' : undefined,
    isFree: status >= 500 && !answer.credits,
  }
}

export function failureMessage({ code, message }: Failure): FailureMessage {
  const rest = { issues: [], isFree: false }
  if (code === 'OFFLINE') {
    return { title: t('You’re offline.'), advice: t('Run the call again when you’re back online.'), ...rest }
  }
  if (code !== 'CONNECTION_LOST') return { title: t('The call wasn’t sent.'), advice: message, ...rest }
  const advice = t('No response arrived. The node may still have received the call.')
  return { title: t('The connection was lost.'), advice, ...rest }
}

/** Reads when the service takes calls again: `Retry-After` in seconds, or else the Unix time of the limit's end. */
export function retryTimeOf({ headers, at, ms }: Pick<RpcAnswer, 'headers' | 'at' | 'ms'>): number | undefined {
  const named = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]))
  const after = Number(named.get('retry-after') ?? Number.NaN)
  if (Number.isFinite(after) && after >= 0) return at + ms + after * 1000
  const reset = Number(named.get('x-ratelimit-reset') ?? named.get('x-ratelimit-reset-requests') ?? Number.NaN)
  return Number.isFinite(reset) && reset > 0 ? reset * 1000 : undefined
}

function issuesOf(issues: readonly Issue[]): FailureMessage['issues'] {
  return issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ place: Array.isArray(path) ? path.join('.') : '', message }))
}
