import 'server-only'
import { isUtf8 } from 'node:buffer'
import { address, getBase58Encoder, getPublicKeyFromAddress, signatureBytes, verifySignature } from '@solana/kit'
import { isAddressEqual, recoverTypedDataAddress } from 'viem'
import { z } from 'zod'
import { CHAIN_REFERENCE, topUpUsd } from '@/lib/contract/chains'
import { PAYMENT_HEADERS } from '@/lib/contract/headers'
import { MAX_TOP_UP, MIN_TOP_UP } from '@/lib/contract/limits'
import type { Rail } from '@/lib/services/chains/rails'
import { assertConfigured, malformed, paymentError, verificationFailed } from '@/lib/services/payments/errors'
import { readEvmPayload } from '@/lib/services/payments/payment-evm'
import { decodeTransaction, readSolanaPayload } from '@/lib/services/payments/payment-solana'
import type { Chain, Payment } from '@/lib/services/payments/payment-types'

export const paymentHeader = (headers: Headers): string | undefined =>
  PAYMENT_HEADERS.map((name) => headers.get(name)?.trim()).find(Boolean)

/**
 * Parses a payment header and checks all that can be known offline, in the contract's order. Source: API contract,
 * x402.md 4.3, rows 1 to 9.
 * @throws ApiError in the shape of payments (E8), with the row's code.
 */
export async function readPayment(header: string, rails: Rail[]): Promise<Payment> {
  assertConfigured(rails)
  const envelope = decodeEnvelope(header)
  if (envelope.scheme !== 'exact') {
    throw paymentError('UNSUPPORTED_SCHEME', 'Only payments of the scheme "exact" are taken.')
  }
  const rail = railOf(envelope.network, rails)
  const read = rail.family === 'evm' ? readEvmPayload : readSolanaPayload
  const signed = await read(envelope.payload, rail, {
    assertAsset: (asset) => assertAsset(asset, envelope, rail),
    assertRecipient: (isOurs) => assertRecipient(isOurs, envelope, rail),
    assertAmount: (amount) => assertAmount(amount, envelope),
  })
  return { ...signed, network: rail.network, rail }
}

const MAX_HEADER_CHARACTERS = 16_384
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/

const version = z.union([z.literal(1), z.literal(2)])
const payload = z.record(z.string(), z.unknown())
const Terms = z.object({
  scheme: z.string(),
  network: z.string(),
  amount: z.unknown(),
  asset: z.string(),
  payTo: z.string(),
})

const ShapeA = z.object({ x402Version: version, accepted: Terms, payload })
const ShapeB = z.object({ x402Version: version, scheme: z.string(), network: z.string(), payload })

type Envelope = {
  scheme: string
  network: string
  accepted?: { amount: unknown; asset: string; payTo: string }
  payload: Record<string, unknown>
}

function decodeEnvelope(header: string): Envelope {
  const value = decodeJson(header)
  const hasTerms = typeof value === 'object' && value !== null && 'accepted' in value && value.accepted != null
  if (hasTerms) {
    const parsed = ShapeA.safeParse(value)
    if (!parsed.success) throw malformed(describe(parsed.error))
    const { accepted, payload } = parsed.data
    return { scheme: accepted.scheme, network: accepted.network, accepted, payload }
  }
  const parsed = ShapeB.safeParse(value)
  if (!parsed.success) throw malformed(describe(parsed.error))
  const { scheme, network, payload } = parsed.data
  return { scheme, network, payload }
}

function decodeJson(header: string): unknown {
  if (header.length > MAX_HEADER_CHARACTERS) throw malformed('The payment header is longer than 16 KiB.')
  if (!BASE64.test(header)) throw malformed('The payment header is not base64.')
  const bytes = Buffer.from(header, 'base64')
  if (!isUtf8(bytes)) throw malformed('The payment header is not base64 of JSON text.')
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw malformed('The payment header is not base64 of a JSON object.', cause)
  }
}

function describe(error: z.ZodError): string {
  const [issue] = error.issues
  return `The payment is not in a known form: ${issue?.path.join('.') || 'payload'} is missing or wrong.`
}

function railOf(network: string, rails: Rail[]): Rail {
  const rail = rails.find((candidate) => candidate.network === network || candidate.alias === network)
  if (rail) return rail
  const offered = rails.map((candidate) => candidate.network).join(', ')
  throw paymentError('UNSUPPORTED_NETWORK', `This network is not supported. Pay on one of: ${offered}.`)
}

function assertAsset(asset: string | undefined, { accepted }: Envelope, rail: Rail): void {
  const named = [asset, accepted?.asset].filter((given) => given !== undefined)
  if (named.every((given) => isSameAddress(given, rail.asset, rail))) return
  throw paymentError('UNSUPPORTED_TOKEN', `Only USDC is taken: ${rail.asset} on ${rail.network}.`)
}

function assertRecipient(isOurs: boolean, { accepted }: Envelope, rail: Rail): void {
  if (isOurs && (!accepted || isSameAddress(accepted.payTo, rail.payTo, rail))) return
  throw paymentError('INVALID_PAYMENT_RECIPIENT', `The payment goes to somebody else. Pay to ${rail.payTo}.`)
}

const POSITIVE_INTEGER = /^[1-9]\d{0,77}$/

function assertAmount(amount: unknown, { accepted }: Envelope): bigint {
  if (typeof amount !== 'string' || !POSITIVE_INTEGER.test(amount)) {
    throw paymentError('INVALID_AMOUNT', 'The amount must be a positive whole number of base units, as a string.')
  }
  const units = BigInt(amount)
  if (accepted && accepted.amount !== amount) {
    throw paymentError('INVALID_AMOUNT', 'The amount that was signed is not the amount in "accepted".')
  }
  if (units < MIN_TOP_UP) {
    throw paymentError('AMOUNT_TOO_LOW', `The smallest payment is ${topUpUsd(MIN_TOP_UP)} USDC.`, {
      details: { minimumAmount: String(MIN_TOP_UP) },
    })
  }
  if (units > MAX_TOP_UP) {
    throw paymentError('AMOUNT_TOO_HIGH', `The largest payment is ${topUpUsd(MAX_TOP_UP)} USDC.`, {
      details: { maximumAmount: String(MAX_TOP_UP) },
    })
  }
  return units
}

const isSameAddress = (a: string, b: string, { family }: Rail): boolean =>
  family === 'evm' ? a.toLowerCase() === b.toLowerCase() : a === b

const PLAIN_SIGNATURE_CHARACTERS = 2 + 65 * 2

type EvmPayment = Extract<Payment, { family: 'evm' }>

/**
 * Verifies the payer's signature before anything is stored or sent. Contract wallets are asked on their chain.
 * @throws ApiError PAYMENT_VERIFICATION_FAILED; ChainUnavailable when a contract wallet cannot be asked.
 */
export async function assertSigned(payment: Payment, chain: Chain): Promise<void> {
  const isSigned = payment.family === 'evm' ? await isSignedEvm(payment, chain) : await isSignedSolana(payment)
  if (!isSigned) throw verificationFailed('invalid_signature')
}

export function assertInTime(payment: Payment, nowMs: number): void {
  if (payment.family !== 'evm') return
  const now = BigInt(Math.floor(nowMs / 1_000))
  if (payment.validAfter >= now) throw verificationFailed('not_yet_valid')
  if (payment.validBefore <= now) throw verificationFailed('expired')
}

export function typedData({ payload, rail }: EvmPayment) {
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization
  return {
    domain: {
      ...rail.extra,
      chainId: Number(CHAIN_REFERENCE.evm),
      verifyingContract: rail.asset as `0x${string}`,
    },
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message: {
      from,
      to,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce,
    },
  } as const
}

async function isSignedEvm(payment: EvmPayment, chain: Chain): Promise<boolean> {
  const { signature } = payment.payload
  if (signature.length === PLAIN_SIGNATURE_CHARACTERS) {
    const signer = await recoverTypedDataAddress({ ...typedData(payment), signature }).catch(() => undefined)
    if (signer && isAddressEqual(signer, payment.payer as `0x${string}`)) return true
  }
  return chain.acceptsSignature(payment)
}

async function isSignedSolana(payment: Extract<Payment, { family: 'solana' }>): Promise<boolean> {
  const { transaction } = decodeTransaction(payment.payload.transaction)
  const payer = address(payment.payer)
  const signature = transaction.signatures[payer]
  if (!signature || getBase58Encoder().encode(payer).length !== 32) return false
  const key = await getPublicKeyFromAddress(payer).catch(() => undefined)
  return key !== undefined && verifySignature(key, signatureBytes(signature), transaction.messageBytes)
}
