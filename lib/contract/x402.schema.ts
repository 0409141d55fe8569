import { z } from 'zod'
import { MAX_TOP_UP, MIN_TOP_UP, topUpUsd } from '@/lib/contract/chains'

// Source: API contract, x402.md 2.
export const PaymentTerms = z.object({
  scheme: z.literal('exact'),
  network: z.string().meta({ description: 'Chain as a CAIP-2 ID.' }),
  asset: z.string().meta({ description: 'Address of the USDC token.' }),
  amount: z.string().meta({
    description: `Amount in base units; one USDC is a million. Any amount from ${topUpUsd(MIN_TOP_UP)} to ${topUpUsd(MAX_TOP_UP)} USD is accepted.`,
  }),
  payTo: z.string().meta({ description: 'Address of the recipient.' }),
  maxTimeoutSeconds: z.number().meta({ description: 'Required validity of the signature in seconds.' }),
  extra: z
    .object({
      name: z.string().meta({ description: 'Name of the token in the signature.' }),
      version: z.string().meta({ description: 'Version of the token in the signature.' }),
      feePayer: z.string().optional().meta({ description: 'Payer of the network fee, on Solana.' }),
    })
    .meta({ description: 'Token details for the signature.' }),
})

export const WalletChallenge = z.object({
  info: z
    .object({
      domain: z.string().meta({ description: 'Host of this service.' }),
      uri: z.string().meta({ description: 'URL of the requested resource.' }),
      version: z.literal('1'),
      nonce: z.string().meta({ description: 'Nonce to sign. You can use your own text instead.' }),
      issuedAt: z.iso.datetime().meta({ description: 'Time the challenge was issued.' }),
      expirationTime: z.iso.datetime().meta({ description: 'Expiration time of the challenge.' }),
      statement: z.string().meta({ description: 'Human-readable statement to sign.' }),
    })
    .meta({ description: 'Values of the message to sign.' }),
  supportedChains: z
    .array(
      z.object({
        chainId: z.string().meta({ description: 'Chain as a CAIP-2 ID.' }),
        type: z.enum(['eip191', 'eip1271', 'ed25519']).meta({ description: "Signature type of the chain's wallets." }),
      }),
    )
    .meta({ description: 'Chains with supported wallets.' }),
})

export const PaymentDiscovery = z.object({
  x402Version: z.literal(2),
  error: z.literal('Payment required'),
  resource: z
    .object({
      url: z.string().meta({ description: 'URL of the resource.' }),
      description: z.string().meta({ description: 'Description of the resource.' }),
      mimeType: z.string().meta({ description: 'Media type of the response.' }),
    })
    .meta({ description: 'Resource that requires payment.' }),
  accepts: z.array(PaymentTerms).meta({ description: 'Accepted payments.' }),
  extensions: z
    .object({ 'sign-in-with-x': WalletChallenge.meta({ description: 'Challenge to sign.' }) })
    .optional()
    .meta({ description: 'Other authentication methods.' }),
  authOptions: z
    .object({
      apiKey: z
        .object({
          header: z.string().meta({ description: 'Name of the header.' }),
          getKey: z.string().meta({ description: 'URL of the page to create keys.' }),
          docs: z.string().meta({ description: 'URL of the documentation.' }),
        })
        .meta({ description: 'Authentication with an API key.' }),
      x402Wallet: z
        .object({
          header: z.string().meta({ description: 'Name of the header.' }),
          legacyHeader: z.string().meta({ description: 'Legacy name of the header.' }),
          topUp: z.string().meta({ description: "Top-up of the wallet's credit." }),
          docs: z.string().meta({ description: 'URL of the documentation.' }),
        })
        .meta({ description: 'Authentication with a wallet.' }),
    })
    .meta({ description: 'Authentication methods, for human readers.' }),
})

export const WalletCreditTooLow = z.object({
  error: z.literal('Payment required'),
  code: z.literal('PAYMENT_REQUIRED'),
  reason: z.literal('insufficient_balance'),
  message: z.string().meta({ description: 'Human-readable message: the problem and how to fix it.' }),
  description: z.string().meta({ description: 'Recommended action.' }),
  currentBalanceUsd: z.number().meta({ description: 'Current credit in US dollars.' }),
  minimumBalanceUsd: z.number().meta({ description: 'Required credit in US dollars.' }),
  suggestedTopUpUsd: z.number().meta({ description: 'Suggested top-up in US dollars.' }),
  minimumTopUpUsd: z.number().meta({ description: 'Minimum top-up in US dollars.' }),
  supportedTokens: z.array(z.literal('USDC')).meta({ description: 'Supported tokens.' }),
  supportedChains: z.array(z.enum(['base', 'solana'])).meta({ description: 'Supported chains.' }),
  topUpInstructions: z
    .object({
      step1: z.string().meta({ description: 'First step.' }),
      step2: z.string().meta({ description: 'Second step.' }),
      step3: z.string().meta({ description: 'Third step.' }),
      receiverWallet: z.string().meta({ description: 'Address of the recipient.' }),
      tokenAddress: z.string().meta({ description: 'Address of the USDC token.' }),
      tokenDecimals: z.literal(6),
      network: z.string().meta({ description: 'Chain of the payment.' }),
      minimumAmountUsd: z.number().meta({ description: 'Minimum top-up in US dollars.' }),
    })
    .meta({ description: 'Top-up instructions, step by step.' }),
  siwxChallenge: WalletChallenge.meta({ description: 'Challenge to sign for the next request.' }),
})

export const TopUpTerms = z.object({
  x402Version: z.literal(2),
  accepts: z.array(PaymentTerms).meta({ description: 'Accepted payments. Choose one.' }),
})

export const PaymentError = z.object({
  error: z.string().meta({ description: 'Error code.' }),
  message: z.string().meta({ description: 'Human-readable message: the problem and how to fix it.' }),
  details: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'Additional details, such as `paymentId`.' }),
})

// Maximum offset: the database reads the skipped rows, too. Longer histories are exported.
const MAX_OFFSET = 10_000

const count = (least: number, most: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`))
    .default(fallback)

// Source: API contract, x402.md 6.
export const TransactionsQuery = z.object({
  limit: count(1, 100, 50).meta({ description: 'Maximum number of rows.' }),
  offset: count(0, MAX_OFFSET, 0).meta({ description: 'Number of rows to skip.' }),
})

export const TopUpReceipt = z.object({
  success: z.literal(true),
  data: z
    .object({
      walletAddress: z.string().meta({ description: 'Address of the wallet that paid.' }),
      amountCredited: z.number().meta({ description: 'Credited amount in US dollars.' }),
      newBalance: z.number().meta({ description: 'New credit in US dollars.' }),
      paymentId: z.string().meta({ description: 'ID of the payment. Include it in support requests.' }),
    })
    .meta({ description: 'Credited payment.' }),
})

export const WalletBalance = z.object({
  success: z.literal(true),
  data: z
    .object({
      walletAddress: z.string().meta({ description: 'Address of the wallet.' }),
      balanceUsd: z.number().meta({ description: 'Credit in US dollars.' }),
      canConsume: z.boolean().meta({ description: '`true` if the wallet can pay for a request.' }),
      minimumTopUpUsd: z.number().meta({ description: 'Minimum top-up in US dollars.' }),
      suggestedTopUpUsd: z.number().meta({ description: 'Suggested top-up in US dollars.' }),
      diemBalanceUsd: z.number().optional().meta({ description: 'Daily credit, if tokens are staked.' }),
    })
    .meta({ description: 'Credit of the wallet.' }),
})

export const WalletTransactions = z.object({
  success: z.literal(true),
  data: z
    .object({
      walletAddress: z.string().meta({ description: 'Address of the wallet.' }),
      currentBalance: z.number().meta({
        description:
          'Available credit in US dollars, as in `X-Balance-Remaining`. Excludes amounts reserved by running requests.',
      }),
      transactions: z
        .array(
          z.object({
            id: z.string().meta({ description: 'ID of the ledger entry.' }),
            amount: z.number().meta({ description: 'Amount in US dollars; negative for charges.' }),
            balanceAfter: z
              .number()
              .meta({ description: 'Credit after the transaction, including amounts reserved by running requests.' }),
            type: z.enum(['TOP_UP', 'CHARGE', 'REFUND']).meta({ description: 'Type of the transaction.' }),
            createdAt: z.iso.datetime().meta({ description: 'Time of the transaction.' }),
            requestId: z.string().nullable().meta({ description: 'ID of the charged request.' }),
            modelId: z.string().nullable().meta({ description: 'ID of the model used.' }),
            description: z.string().nullable().meta({
              description:
                'Description of a purchase other than a model: for JSON-RPC, the methods, the number of calls to each, and the network.',
            }),
          }),
        )
        .meta({ description: 'Transactions, newest first.' }),
      pagination: z
        .object({
          limit: z.int().meta({ description: 'Number of rows per page.' }),
          offset: z.int().meta({ description: 'Number of rows before this page.' }),
          hasMore: z.boolean().meta({ description: '`true` if more rows follow.' }),
        })
        .meta({ description: 'Position of this page in the list.' }),
    })
    .meta({ description: 'Transactions and credit of the wallet.' }),
})

export type WalletChallenge = z.output<typeof WalletChallenge>
export type TopUpReceipt = z.output<typeof TopUpReceipt>
export type WalletTransactions = z.output<typeof WalletTransactions>
