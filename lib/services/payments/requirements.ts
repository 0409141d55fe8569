import 'server-only'
import { NANO_PER_USDC_UNIT, USDC_DECIMALS } from '@/lib/contract/chains'
import { ApiError, type ErrorCode } from '@/lib/contract/errors'
import { SIGN_IN_HEADERS } from '@/lib/contract/headers'
import { MAX_TOP_UP, MIN_TOP_UP, SUGGESTED_TOP_UP } from '@/lib/contract/limits'
import { formatUsd, nano, type Usd, usdNumber } from '@/lib/contract/money'
import { config } from '@/lib/kernel/config'
import { withDeadline } from '@/lib/kernel/deadlines'
import type { RequestContext } from '@/lib/kernel/request-context'
import { paymentTerms, type Rail, rails } from '@/lib/services/chains/rails'
import { challenge } from '@/lib/services/identity/sign-in/challenge'
import { assertConfigured } from '@/lib/services/payments/errors'
import { facilitator } from '@/lib/services/payments/facilitator'

const X402_VERSION = 2
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i
/** A fixed value: clients match it. Source: API contract, README 7.3. */
const PAYMENT_REQUIRED = 'Payment required'
const FEE_PAYER_TIMEOUT_MS = 3_000
const WHOLE_DOLLAR = 10n ** BigInt(USDC_DECIMALS)

type Option = ReturnType<typeof paymentTerms>

/**
 * Builds the 402 of a request without credentials on a paid route. With no payment rail `accepts` is empty and no
 * wallet challenge is offered. Source: API contract, x402.md 2.2.
 */
export async function discovery(context: RequestContext): Promise<ApiError> {
  const { origin } = config()
  const resource = resourceOf(context)
  const accepts = await optionsFor(SUGGESTED_TOP_UP)
  const terms = {
    x402Version: X402_VERSION,
    error: PAYMENT_REQUIRED,
    resource,
    accepts,
    ...(accepts.length > 0 && { extensions: signIn(resource.url) }),
  }
  const docs = `${origin}/docs`
  const authOptions = {
    apiKey: { header: 'Authorization: Bearer <API_KEY>', getKey: `${origin}/keys`, docs },
    x402Wallet: {
      header: SIGN_IN_HEADERS[0],
      legacyHeader: SIGN_IN_HEADERS[1],
      topUp: 'POST /api/v1/x402/top-up',
      docs,
    },
  }
  return document('PAYMENT_REQUIRED', PAYMENT_REQUIRED, { ...terms, authOptions }, terms)
}

/**
 * Builds the 402 of a wallet with too little credit: it has `balance`, and the request takes `minimum`. Source: API
 * contract, x402.md 2.3.
 */
export async function insufficientCredit(
  context: RequestContext,
  { balance, minimum }: { balance: Usd; minimum: Usd },
): Promise<ApiError> {
  const resource = resourceOf(context)
  const missing = nano(minimum > balance ? minimum - balance : 0n)
  const [minimumTopUpUsd, suggestedTopUpUsd] = [toUsd(MIN_TOP_UP), toUsd(SUGGESTED_TOP_UP)]
  const evm = rails().find(({ family }) => family === 'evm')
  const body = {
    error: PAYMENT_REQUIRED,
    code: 'PAYMENT_REQUIRED',
    reason: 'insufficient_balance',
    message: `The wallet has ${formatUsd(balance)} USD of credit, and this request takes ${formatUsd(minimum)} USD. Top up and send it again.`,
    description: 'Top up with USDC, then repeat the request with a fresh sign-in.',
    currentBalanceUsd: usdNumber(balance),
    minimumBalanceUsd: usdNumber(minimum),
    suggestedTopUpUsd,
    minimumTopUpUsd,
    supportedTokens: ['USDC'],
    supportedChains: rails().map(({ alias }) => alias),
    topUpInstructions: {
      step1: 'POST /api/v1/x402/top-up without a payment: the answer says how to pay.',
      step2: `Sign a payment of ${minimumTopUpUsd} USDC or more with the wallet; nobody takes more than was signed.`,
      step3: 'POST it again with the payment in the header PAYMENT-SIGNATURE, then repeat this request.',
      receiverWallet: evm?.payTo ?? '',
      tokenAddress: evm?.asset ?? '',
      tokenDecimals: USDC_DECIMALS,
      network: evm?.network ?? '',
      minimumAmountUsd: minimumTopUpUsd,
    },
    siwxChallenge: challenge(resource.url),
  }
  const terms = {
    x402Version: X402_VERSION,
    error: PAYMENT_REQUIRED,
    resource,
    accepts: await optionsFor(enoughFor(missing)),
    extensions: signIn(resource.url),
  }
  return document('PAYMENT_REQUIRED', PAYMENT_REQUIRED, body, terms)
}

/**
 * Builds the terms of `POST /x402/top-up`; with a `code`, the error of a refused payment (E8) beside them. Source: API
 * contract, x402.md 2.4.
 * @throws ApiError X402_NOT_CONFIGURED when nothing can be paid.
 */
export async function topUpRequired(
  context: RequestContext,
  { error = 'PAYMENT-SIGNATURE header is required', code }: { error?: string; code?: ErrorCode } = {},
): Promise<ApiError> {
  assertConfigured(rails())
  const accepts = await optionsFor(MIN_TOP_UP)
  const terms = { x402Version: X402_VERSION, error, resource: resourceOf(context), accepts }
  const body = code === undefined ? { x402Version: X402_VERSION, accepts } : { error: code, message: error }
  return document(code ?? 'PAYMENT_REQUIRED', error, body, terms)
}

export async function withTerms(context: RequestContext, error: unknown): Promise<unknown> {
  if (!(error instanceof ApiError) || error.code !== 'SETTLEMENT_FAILED') return error
  const { headers } = await topUpRequired(context, { error: error.message })
  return new ApiError(error.code, error.message, { body: error.body, headers, cause: error.cause })
}

function document(code: ErrorCode, message: string, body: unknown, terms: unknown): ApiError {
  const header = Buffer.from(JSON.stringify(terms)).toString('base64')
  return new ApiError(code, message, { body, headers: { 'PAYMENT-REQUIRED': header, 'Cache-Control': 'no-store' } })
}

const resourceOf = ({ path, headers }: RequestContext) => {
  const { origin, serviceName, isSandbox } = config()
  const host = isSandbox ? LOOPBACK_HOST.exec(headers.get('host') ?? '')?.[0] : undefined
  return {
    url: (host ? `http://${host}` : origin) + path,
    description: `${serviceName} inference API`,
    mimeType: 'application/json',
  }
}

const signIn = (url: string) => ({ 'sign-in-with-x': challenge(url) })

async function optionsFor(amount: bigint): Promise<Option[]> {
  const options = await Promise.all(rails().map((rail) => optionOf(rail, amount)))
  return options.filter((option) => option !== undefined)
}

async function optionOf(rail: Rail, amount: bigint): Promise<Option | undefined> {
  const feePayer = rail.family === 'solana' ? await solanaFeePayer() : undefined
  if (rail.family === 'solana' && feePayer === undefined) return undefined
  return paymentTerms(rail, amount, feePayer)
}

function solanaFeePayer(): Promise<string | undefined> {
  const feePayer = facilitator().then((asked) => asked.feePayer())
  // A facilitator that cannot be had takes its rail with it, and nothing else.
  return withDeadline(feePayer, FEE_PAYER_TIMEOUT_MS).catch(() => undefined)
}

/**
 * Whole dollars that cover what is missing, and never less than is suggested: a client pays exactly what it is told.
 */
function enoughFor(missing: Usd): bigint {
  const units = (missing + NANO_PER_USDC_UNIT - 1n) / NANO_PER_USDC_UNIT
  const dollars = ((units + WHOLE_DOLLAR - 1n) / WHOLE_DOLLAR) * WHOLE_DOLLAR
  if (dollars <= SUGGESTED_TOP_UP) return SUGGESTED_TOP_UP
  return dollars < MAX_TOP_UP ? dollars : MAX_TOP_UP
}

const toUsd = (units: bigint): number => usdNumber(nano(units * NANO_PER_USDC_UNIT))
