import 'server-only'
import { MAX_TOP_UP, MIN_TOP_UP } from '@/lib/contract/chains'
import type { Rail } from '@/lib/services/chains/rails'
import { assertConfigured, paymentError } from '@/lib/services/payments/errors'
import { readEvmPayload } from '@/lib/services/payments/payment-evm'
import { readSolanaPayload } from '@/lib/services/payments/payment-solana'
import type { Payment } from '@/lib/services/payments/signed-payment'
import { decodeEnvelope, type Envelope } from '@/lib/services/payments/wire'

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

function railOf(network: string, rails: Rail[]): Rail {
  const rail = rails.find((candidate) => candidate.network === network || candidate.alias === network)
  if (rail) return rail
  const offered = rails.map((candidate) => candidate.network).join(', ')
  throw paymentError('UNSUPPORTED_NETWORK', `This network is not taken here. Pay on one of: ${offered}.`)
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
    throw paymentError('AMOUNT_TOO_LOW', 'The smallest payment is 5 USDC.', {
      details: { minimumAmount: String(MIN_TOP_UP) },
    })
  }
  if (units > MAX_TOP_UP) {
    throw paymentError('AMOUNT_TOO_HIGH', 'The largest payment is 10,000 USDC.', {
      details: { maximumAmount: String(MAX_TOP_UP) },
    })
  }
  return units
}

const isSameAddress = (a: string, b: string, { family }: Rail): boolean =>
  family === 'evm' ? a.toLowerCase() === b.toLowerCase() : a === b
