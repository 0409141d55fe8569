import { z } from 'zod'
import { MAX_TOP_UP, MIN_TOP_UP, topUpUsd } from '@/lib/contract/chains'

/** A way to pay, in the 402 documents. Source: API contract, x402.md 2. */
export const PaymentTerms = z.object({
  scheme: z.literal('exact'),
  network: z.string().meta({ description: 'The chain, as CAIP-2 names it.' }),
  asset: z.string().meta({ description: 'The token, USDC.' }),
  amount: z.string().meta({
    description: `In base units, a million to one USDC. Any amount from ${topUpUsd(MIN_TOP_UP)} to ${topUpUsd(MAX_TOP_UP)} USD is accepted.`,
  }),
  payTo: z.string().meta({ description: 'The receiver.' }),
  maxTimeoutSeconds: z.number().meta({ description: 'How long the signature has to hold.' }),
  extra: z
    .object({
      name: z.string().meta({ description: 'Its name, as it signs.' }),
      version: z.string().meta({ description: 'Its version, as it signs.' }),
      feePayer: z.string().optional().meta({ description: 'On Solana: who pays the fee.' }),
    })
    .meta({ description: 'What a signature needs to know of the token.' }),
})

export const WalletChallenge = z.object({
  info: z
    .object({
      domain: z.string().meta({ description: 'The host of this service.' }),
      uri: z.string().meta({ description: 'What is asked for.' }),
      version: z.literal('1'),
      nonce: z.string().meta({ description: 'Any text of your own does, too.' }),
      issuedAt: z.iso.datetime().meta({ description: 'When the challenge was made.' }),
      expirationTime: z.iso.datetime().meta({ description: 'Until when a signature of it is taken.' }),
      statement: z.string().meta({ description: 'What is signed, for people.' }),
    })
    .meta({ description: 'What the text to sign has to say.' }),
  supportedChains: z
    .array(
      z.object({
        chainId: z.string().meta({ description: 'The chain, as CAIP-2 names it.' }),
        type: z.enum(['eip191', 'eip1271', 'ed25519']).meta({ description: 'How its wallets sign.' }),
      }),
    )
    .meta({ description: 'The chains whose wallets may sign.' }),
})

export const PaymentDiscovery = z.object({
  x402Version: z.literal(2),
  error: z.literal('Payment required'),
  resource: z
    .object({
      url: z.string().meta({ description: 'Its address.' }),
      description: z.string().meta({ description: 'What it is.' }),
      mimeType: z.string().meta({ description: 'What it answers with.' }),
    })
    .meta({ description: 'What is paid for.' }),
  accepts: z.array(PaymentTerms).meta({ description: 'The ways to pay.' }),
  extensions: z
    .object({ 'sign-in-with-x': WalletChallenge.meta({ description: 'A challenge to sign.' }) })
    .optional()
    .meta({ description: 'Other ways to say who asks.' }),
  authOptions: z
    .object({
      apiKey: z
        .object({
          header: z.string().meta({ description: 'The header to send.' }),
          getKey: z.string().meta({ description: 'Where keys are made.' }),
          docs: z.string().meta({ description: 'These pages.' }),
        })
        .meta({ description: 'With a key.' }),
      x402Wallet: z
        .object({
          header: z.string().meta({ description: 'The header to send.' }),
          legacyHeader: z.string().meta({ description: 'Its older name.' }),
          topUp: z.string().meta({ description: 'How to pay in.' }),
          docs: z.string().meta({ description: 'These pages.' }),
        })
        .meta({ description: 'With a wallet.' }),
    })
    .meta({ description: 'The ways to get in, for people.' }),
})

export const WalletCreditTooLow = z.object({
  error: z.literal('Payment required'),
  code: z.literal('PAYMENT_REQUIRED'),
  reason: z.literal('insufficient_balance'),
  message: z.string().meta({ description: 'For people: what is wrong, and what to do about it.' }),
  description: z.string().meta({ description: 'What to do.' }),
  currentBalanceUsd: z.number().meta({ description: 'The credit.' }),
  minimumBalanceUsd: z.number().meta({ description: 'What the request takes.' }),
  suggestedTopUpUsd: z.number().meta({ description: 'What to pay in.' }),
  minimumTopUpUsd: z.number().meta({ description: 'The least that may be paid in.' }),
  supportedTokens: z.array(z.literal('USDC')).meta({ description: 'What is taken.' }),
  supportedChains: z.array(z.enum(['base', 'solana'])).meta({ description: 'Where it is taken.' }),
  topUpInstructions: z
    .object({
      step1: z.string().meta({ description: 'First.' }),
      step2: z.string().meta({ description: 'Then.' }),
      step3: z.string().meta({ description: 'At last.' }),
      receiverWallet: z.string().meta({ description: 'The receiver.' }),
      tokenAddress: z.string().meta({ description: 'The token, USDC.' }),
      tokenDecimals: z.literal(6),
      network: z.string().meta({ description: 'The chain.' }),
      minimumAmountUsd: z.number().meta({ description: 'The least that may be paid in.' }),
    })
    .meta({ description: 'How to pay in, a step a line.' }),
  siwxChallenge: WalletChallenge.meta({ description: 'A challenge to sign for the next request.' }),
})

export const TopUpTerms = z.object({
  x402Version: z.literal(2),
  accepts: z.array(PaymentTerms).meta({ description: 'The ways to pay: choose one.' }),
})

export const PaymentError = z.object({
  error: z.string().meta({ description: 'The code.' }),
  message: z.string().meta({ description: 'For people: what is wrong, and what to do about it.' }),
  details: z.record(z.string(), z.unknown()).optional().meta({ description: 'What is known, such as `paymentId`.' }),
})

/** The database reads the skipped rows too. Longer histories are downloaded. */
const MAX_OFFSET = 10_000

const count = (least: number, most: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`))
    .default(fallback)

/** Query of `GET /x402/transactions/{walletAddress}`. Source: API contract, x402.md 6. */
export const TransactionsQuery = z.object({
  limit: count(1, 100, 50).meta({ description: 'How many at most.' }),
  offset: count(0, MAX_OFFSET, 0).meta({ description: 'How many to pass over.' }),
})

export const TopUpReceipt = z.object({
  success: z.literal(true),
  data: z
    .object({
      walletAddress: z.string().meta({ description: 'The wallet that paid.' }),
      amountCredited: z.number().meta({ description: 'In dollars.' }),
      newBalance: z.number().meta({ description: 'The credit after it, in dollars.' }),
      paymentId: z.string().meta({ description: 'The payment. Name it when you ask for help.' }),
    })
    .meta({ description: 'What was credited.' }),
})

export const WalletBalance = z.object({
  success: z.literal(true),
  data: z
    .object({
      walletAddress: z.string().meta({ description: 'The wallet.' }),
      balanceUsd: z.number().meta({ description: 'In dollars.' }),
      canConsume: z.boolean().meta({ description: 'Whether a request would be taken.' }),
      minimumTopUpUsd: z.number().meta({ description: 'The least that may be paid in.' }),
      suggestedTopUpUsd: z.number().meta({ description: 'What the offer asks for.' }),
      diemBalanceUsd: z.number().optional().meta({ description: 'Daily credit, where tokens are staked.' }),
    })
    .meta({ description: 'The credit.' }),
})

export const WalletTransactions = z.object({
  success: z.literal(true),
  data: z
    .object({
      walletAddress: z.string().meta({ description: 'The wallet.' }),
      currentBalance: z.number().meta({
        description:
          'What can be spent now, in dollars, as `X-Balance-Remaining` says. What running requests have set aside is not in it.',
      }),
      transactions: z
        .array(
          z.object({
            id: z.string().meta({ description: 'The line of the ledger.' }),
            amount: z.number().meta({ description: 'In dollars; charges are negative.' }),
            balanceAfter: z
              .number()
              .meta({ description: 'The credit after it, with what running requests have set aside.' }),
            type: z.enum(['TOP_UP', 'CHARGE', 'REFUND']).meta({ description: 'What happened.' }),
            createdAt: z.iso.datetime().meta({ description: 'When it was made.' }),
            requestId: z.string().nullable().meta({ description: 'The request that was charged.' }),
            modelId: z.string().nullable().meta({ description: 'Its model.' }),
            description: z.string().nullable().meta({
              description:
                'What was bought, where it was no model: of JSON-RPC the methods, how often each was called, and the network.',
            }),
          }),
        )
        .meta({ description: 'Newest first.' }),
      pagination: z
        .object({
          limit: z.int().meta({ description: 'Rows of a page.' }),
          offset: z.int().meta({ description: 'Rows before the first of this page.' }),
          hasMore: z.boolean().meta({ description: 'Whether more rows follow.' }),
        })
        .meta({ description: 'Where the list stands.' }),
    })
    .meta({ description: 'The movements.' }),
})

export type WalletChallenge = z.output<typeof WalletChallenge>
export type TopUpReceipt = z.output<typeof TopUpReceipt>
export type WalletTransactions = z.output<typeof WalletTransactions>
