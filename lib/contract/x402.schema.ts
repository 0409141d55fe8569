import { z } from 'zod'
import type { NamedSchema } from '@/lib/endpoints/docs/openapi/operation'

const Terms = z.object({
  scheme: z.literal('exact'),
  network: z.string(),
  asset: z.string(),
  amount: z.string(),
  payTo: z.string(),
  maxTimeoutSeconds: z.number(),
  extra: z.object({ name: z.string(), version: z.string(), feePayer: z.string().optional() }),
})

const Challenge = z.object({
  info: z.object({
    domain: z.string(),
    uri: z.string(),
    version: z.literal('1'),
    nonce: z.string(),
    issuedAt: z.iso.datetime(),
    expirationTime: z.iso.datetime(),
    statement: z.string(),
  }),
  supportedChains: z.array(z.object({ chainId: z.string(), type: z.enum(['eip191', 'eip1271', 'ed25519']) })),
})

/** The 402 documents as `lib/services/payments/requirements.ts` writes them. Source: API contract, x402.md 2. */
export const PAYMENT_TERMS: NamedSchema = { name: 'PaymentTerms', schema: Terms }
export const WALLET_CHALLENGE: NamedSchema = { name: 'WalletChallenge', schema: Challenge }

export const DISCOVERY: NamedSchema = {
  name: 'PaymentDiscovery',
  schema: z.object({
    x402Version: z.literal(2),
    error: z.literal('Payment required'),
    resource: z.object({ url: z.string(), description: z.string(), mimeType: z.string() }),
    accepts: z.array(Terms),
    extensions: z.object({ 'sign-in-with-x': Challenge }).optional(),
    authOptions: z.object({
      apiKey: z.object({ header: z.string(), getKey: z.string(), docs: z.string() }),
      x402Wallet: z.object({ header: z.string(), legacyHeader: z.string(), topUp: z.string(), docs: z.string() }),
    }),
  }),
}

export const CREDIT_TOO_LOW: NamedSchema = {
  name: 'WalletCreditTooLow',
  schema: z.object({
    error: z.literal('Payment required'),
    code: z.literal('PAYMENT_REQUIRED'),
    reason: z.literal('insufficient_balance'),
    message: z.string(),
    description: z.string(),
    currentBalanceUsd: z.number(),
    minimumBalanceUsd: z.number(),
    suggestedTopUpUsd: z.number(),
    minimumTopUpUsd: z.number(),
    supportedTokens: z.array(z.literal('USDC')),
    supportedChains: z.array(z.enum(['base', 'solana'])),
    topUpInstructions: z.object({
      step1: z.string(),
      step2: z.string(),
      step3: z.string(),
      receiverWallet: z.string(),
      tokenAddress: z.string(),
      tokenDecimals: z.literal(6),
      network: z.string(),
      minimumAmountUsd: z.number(),
    }),
    siwxChallenge: Challenge,
  }),
}

/** What a top-up without a payment answers. */
export const TOP_UP_TERMS: NamedSchema = {
  name: 'TopUpTerms',
  schema: z.object({ x402Version: z.literal(2), accepts: z.array(Terms) }),
}

/** A payment that was refused, or whose end is not known yet. */
export const PAYMENT_ERROR: NamedSchema = {
  name: 'PaymentError',
  schema: z.object({
    error: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
}

/** The database reads what comes before, too. Who has a longer history downloads it. */
const MAX_OFFSET = 10_000

const count = (least: number, most: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`))
    .default(fallback)

/** Query of `GET /x402/transactions/{walletAddress}`. Source: API contract, x402.md 6. */
export const TransactionsQuery = z.object({ limit: count(1, 100, 50), offset: count(0, MAX_OFFSET, 0) })
