import 'server-only'
import { randomBytes } from 'node:crypto'
import { type FacilitatorClient, HTTPFacilitatorClient } from '@x402/core/http'
import {
  type PaymentPayload,
  type PaymentRequirements,
  SettleError,
  type SettleResponse,
  VerifyError,
  type VerifyResponse,
} from '@x402/core/types'
import { SignJWT } from 'jose'
import { SOLANA_NETWORK } from '@/lib/contract/chains'
import type { CdpKey } from '@/lib/kernel/cdp-key'
import { config, type FacilitatorAddress } from '@/lib/kernel/config'
import { withDeadline } from '@/lib/kernel/deadlines'
import { log } from '@/lib/kernel/log'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'
import { paymentTerms } from '@/lib/services/chains/rails'
import { sandbox } from '@/lib/services/chains/sandbox'
import type { Payment } from '@/lib/services/payments/payment-types'

/** `taken`: the payment may be on its way or on its chain already. `unavailable`: no usable reply. */
export type Verdict =
  | { status: 'valid' }
  | { status: 'invalid'; reason: string }
  | { status: 'taken'; reason: string }
  | { status: 'unavailable'; cause: unknown }

/**
 * None of it is believed without the chain: `settled` and `transaction` say where to look; `refused` that nothing was
 * sent; `unknown` is everything else.
 */
export type Settlement =
  | { status: 'settled'; transaction: string }
  | { status: 'refused'; reason: string }
  | { status: 'unknown'; reason: string; transaction?: string }

export interface Facilitator {
  feePayer(): Promise<string | undefined>
  verify(payment: Payment): Promise<Verdict>
  settle(payment: Payment): Promise<Settlement>
}

type Timeouts = { verifyMs: number; settleMs: number; supportedMs: number }

/**
 * Source: reliability goals, "Facilitator verify / settle". A 402 waits no longer for its fee payer than `supportedMs`.
 */
const TIMEOUTS: Timeouts = { verifyMs: 10_000, settleMs: 45_000, supportedMs: 2_000 }
const REFRESH_EVERY_MS = 600_000
const ASK_AGAIN_AFTER_MS = 10_000

type Asked = Pick<FacilitatorClient, 'verify' | 'settle' | 'getSupported'>

export function facilitator(): Promise<Facilitator> {
  const local = sandbox()
  const remote = config().facilitator
  const name = `facilitator ${local?.evmUrl ?? ''} ${local?.solanaUrl ?? ''} ${remote?.url ?? ''}`
  return perProcess(name, async () => {
    try {
      if (remote && !local) return httpFacilitator(remote)
      if (!local) throw new Error('no facilitator is configured')
      const { localClient } = await import('@/lib/services/payments/facilitator-local')
      return fromClient(await localClient(local))
    } catch (error) {
      resetPerProcess(name)
      throw error
    }
  })
}

export function httpFacilitator(where: FacilitatorAddress, timeouts: Partial<Timeouts> = {}): Facilitator {
  const { verifyMs, settleMs, supportedMs } = { ...TIMEOUTS, ...timeouts }
  const url = where.url.replace(/\/+$/, '')
  const client = (operation: 'verify' | 'settle' | 'supported', timeoutMs: number) =>
    new HTTPFacilitatorClient({ url, timeoutMs, createAuthHeaders: () => authHeaders({ ...where, url }, operation) })
  const [verifying, settling, asking] = [
    client('verify', verifyMs),
    client('settle', settleMs),
    client('supported', supportedMs),
  ]
  return fromClient(
    {
      verify: (payload, terms) => verifying.verify(payload, terms),
      settle: (payload, terms) => settling.settle(payload, terms),
      getSupported: () => asking.getSupported(),
    },
    supportedMs,
  )
}

async function authHeaders({ url, token, cdpKey }: FacilitatorAddress, operation: 'verify' | 'settle' | 'supported') {
  const method = operation === 'supported' ? 'GET' : 'POST'
  const bearer = cdpKey ? await cdpToken(cdpKey, method, `${url}/${operation}`) : token
  const headers: Record<string, string> = bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }
  return { verify: headers, settle: headers, supported: headers }
}

export function fromClient(client: Asked, supportedMs = TIMEOUTS.supportedMs): Facilitator {
  return {
    feePayer: rememberFeePayer(client, supportedMs),
    async verify(payment) {
      try {
        return verdictOf(await client.verify(payloadOf(payment), termsOf(payment)))
      } catch (cause) {
        if (cause instanceof VerifyError && cause.statusCode < 500) return refusal(cause.invalidReason)
        log().warn({ err: cause, key: payment.key }, 'the facilitator did not verify a payment')
        return { status: 'unavailable', cause }
      }
    },
    async settle(payment) {
      try {
        return settlementOf(await client.settle(payloadOf(payment), termsOf(payment)))
      } catch (cause) {
        log().warn({ err: cause, key: payment.key }, 'the facilitator did not report the outcome of a settlement')
        if (!(cause instanceof SettleError)) return { status: 'unknown', reason: 'no_answer' }
        const { errorReason, transaction, statusCode } = cause
        if (statusCode >= 500) return { status: 'unknown', reason: codeOf(errorReason), transaction }
        return settlementOf({ success: false, errorReason, transaction: transaction ?? '', network: payment.network })
      }
    },
  }
}

/** With the payer's own amount and fee payer: what was signed decides, not what was offered. */
const termsOf = (payment: Payment): PaymentRequirements =>
  paymentTerms(payment.rail, payment.amount, payment.family === 'solana' ? payment.feePayer : undefined)

const payloadOf = (payment: Payment): PaymentPayload => ({
  x402Version: 2,
  accepted: termsOf(payment),
  payload: { ...payment.payload },
})

const verdictOf = ({ isValid, invalidReason }: VerifyResponse): Verdict =>
  isValid === true ? { status: 'valid' } : refusal(invalidReason)

function refusal(invalidReason: string | undefined): Verdict {
  const reason = codeOf(invalidReason)
  return { status: USED_UP.test(reason) ? 'taken' : 'invalid', reason }
}

/**
 * Some facilitators hand on their node's words as a reason, with the call's arguments and the node's address: only
 * codes go on.
 */
const codeOf = (reason: string | undefined): string =>
  reason !== undefined && /^[A-Za-z0-9_.-]{1,100}$/.test(reason) ? reason : 'refused'

const USED_UP = /already|duplicate|pending|in_progress/

function settlementOf({ success, errorReason, transaction }: SettleResponse): Settlement {
  if (success === true) return { status: 'settled', transaction }
  const reason = codeOf(errorReason)
  if (!transaction && wasNeverSent(reason)) return { status: 'refused', reason }
  return { status: 'unknown', reason, transaction: transaction || undefined }
}

function rememberFeePayer(client: Asked, supportedMs: number): () => Promise<string | undefined> {
  let known: string | undefined
  let askAt = 0
  let underWay: Promise<void> | undefined

  async function refresh(): Promise<void> {
    try {
      const { kinds } = await client.getSupported()
      const kind = kinds.find(({ scheme, network }) => scheme === 'exact' && network === SOLANA_NETWORK)
      known = typeof kind?.extra?.feePayer === 'string' ? kind.extra.feePayer : undefined
      askAt = performance.now() + REFRESH_EVERY_MS
    } catch (error) {
      // The one that was known is still the best guess.
      askAt = performance.now() + ASK_AGAIN_AFTER_MS
      log().warn({ err: error }, 'the facilitator reported no fee payer on Solana')
    } finally {
      underWay = undefined
    }
  }

  return async () => {
    if (performance.now() >= askAt) underWay ??= refresh()
    if (known === undefined && underWay) await withDeadline(underWay, supportedMs).catch(() => undefined)
    return known
  }
}

const LIFETIME_SECONDS = 120
const NONCE_BYTES = 16

/**
 * Signs one request to the Coinbase Developer Platform: the token is good for this method and address, for two minutes.
 * Source: CDP, "JWT authentication".
 */
export function cdpToken({ id, alg, key }: CdpKey, method: 'GET' | 'POST', address: string): Promise<string> {
  const { host, pathname } = new URL(address)
  const now = Math.floor(Date.now() / 1_000)
  return new SignJWT({ uris: [`${method} ${host}${pathname}`] })
    .setProtectedHeader({ alg, typ: 'JWT', kid: id, nonce: randomBytes(NONCE_BYTES).toString('hex') })
    .setIssuer('cdp')
    .setSubject(id)
    .setAudience(['cdp_service'])
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(now + LIFETIME_SECONDS)
    .sign(key)
}

/**
 * Codes that facilitators give for a settlement only before they broadcast it, so that no money can have moved. Everything
 * else is an unknown outcome: a client that hears "refused" signs a second payment, and the first may still arrive.
 *
 * Left out on purpose: simulation, verification and state failures and used nonces (they also follow an earlier broadcast),
 * confirmation and receipt failures, and codes that only look like one of these.
 * Source: @x402/evm and @x402/svm 2.27 (`exact` scheme), x402 specification 9, Coinbase CDP `x402SettleErrorReason`.
 */
const NEVER_SENT: ReadonlySet<string> = new Set([
  // Any chain
  'amount_too_low',
  'asset_not_deployed_contract',
  'eip6492_factory_not_allowed',
  'insufficient_funds',
  'invalid_amount',
  'invalid_network',
  'invalid_payload',
  'invalid_payment_requirements',
  'invalid_scheme',
  'invalid_x402_version',
  'kyt_risk_detected',
  'preflight_validation_failed',
  'request_blocked_by_location',
  'self_send_not_allowed',
  'unsupported_payload_type',
  'unsupported_scheme',
  // EVM
  ...[
    'authorization_value',
    'eip3009_not_supported',
    'extra_field',
    'failed_to_parse_signature',
    'insufficient_balance',
    'insufficient_funds',
    'missing_eip712_domain',
    'network_mismatch',
    'payload',
    'payload_authorization_from_address_kyt',
    'payload_authorization_to_address_kyt',
    'payload_authorization_typed_data_message',
    'payload_authorization_valid_after',
    'payload_authorization_valid_before',
    'payload_authorization_value',
    'payload_authorization_value_mismatch',
    'payload_authorization_value_too_low',
    'payload_missing_signature',
    'payload_recipient_mismatch',
    'payload_signature',
    'payload_signature_address',
    'payload_undeployed_smart_wallet',
    'recipient_mismatch',
    'required_amount',
    'scheme',
    'signature',
    'signature_format',
    'token_name_mismatch',
    'token_version_mismatch',
    'unsupported_scheme',
  ].map((code) => `invalid_exact_evm_${code}`),
  // Solana: some facilitators write the chain's name out.
  ...['svm', 'solana'].flatMap((chain) =>
    [
      'extra_field',
      'fee_payer_mismatch',
      'fee_payer_not_managed_by_facilitator',
      'invalid_fee_payer',
      'network_mismatch',
      'payload_amount_insufficient',
      'payload_amount_mismatch',
      'payload_excessive_signers',
      'payload_memo_count',
      'payload_memo_mismatch',
      'payload_mint_mismatch',
      'payload_missing_fee_payer',
      'payload_no_transfer_instruction',
      'payload_recipient_mismatch',
      'payload_signature_invalid',
      'payload_transaction',
      'payload_transaction_amount_mismatch',
      'payload_transaction_cannot_derive_receiver_ata',
      'payload_transaction_could_not_be_decoded',
      'payload_transaction_create_ata_instruction',
      'payload_transaction_create_ata_instruction_incorrect_asset',
      'payload_transaction_create_ata_instruction_incorrect_payee',
      'payload_transaction_fee_payer_included_in_instruction_accounts',
      'payload_transaction_fee_payer_transferring_funds',
      'payload_transaction_instruction_not_spl_token_transfer_checked',
      'payload_transaction_instruction_not_token_2022_transfer_checked',
      'payload_transaction_instructions',
      'payload_transaction_instructions_compute_limit_instruction',
      'payload_transaction_instructions_compute_limit_instruction_too_high',
      'payload_transaction_instructions_compute_price_instruction',
      'payload_transaction_instructions_compute_price_instruction_too_high',
      'payload_transaction_instructions_length',
      'payload_transaction_not_a_transfer_instruction',
      'payload_transaction_receiver_ata_not_found',
      'payload_transaction_sender_ata_not_found',
      'payload_transaction_transfer_to_incorrect_ata',
      'payload_unknown_fifth_instruction',
      'payload_unknown_fourth_instruction',
      'payload_unknown_optional_instruction',
      'payload_unknown_seventh_instruction',
      'payload_unknown_sixth_instruction',
      'unsupported_scheme',
    ].map((code) => `invalid_exact_${chain}_${code}`),
  ),
])

const wasNeverSent = (code: string): boolean => NEVER_SENT.has(code)
