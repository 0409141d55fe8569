import { z } from 'zod'
import { whole } from '@/lib/contract/billing.schema'
import { topUpUsd } from '@/lib/contract/chains'
import { MAX_TOP_UP, MIN_TOP_UP } from '@/lib/contract/limits'

// Source: API contract, x402.md 2.
export const PaymentTerms = z.object({
  scheme: z.literal('exact'),
  network: z.string().describe('Chain as a CAIP-2 ID.'),
  asset: z.string().describe('Address of the USDC token.'),
  amount: z
    .string()
    .describe(
      `Amount in base units; one USDC is a million. Any amount from ${topUpUsd(MIN_TOP_UP)} to ${topUpUsd(MAX_TOP_UP)} USD is accepted.`,
    ),
  payTo: z.string().describe('Address of the recipient.'),
  maxTimeoutSeconds: z.number().describe('Required validity of the signature in seconds.'),
  extra: z
    .object({
      name: z.string().describe('Name of the token in the signature.'),
      version: z.string().describe('Version of the token in the signature.'),
      feePayer: z.string().optional().describe('Payer of the network fee, on Solana.'),
    })
    .describe('Token details for the signature.'),
})

export const WalletChallenge = z.object({
  info: z
    .object({
      domain: z.string().describe('Host of this service.'),
      uri: z.string().describe('URL of the requested resource.'),
      version: z.literal('1'),
      nonce: z.string().describe('Nonce to sign. You can use your own text instead.'),
      issuedAt: z.iso.datetime().describe('Time the challenge was issued.'),
      expirationTime: z.iso.datetime().describe('Expiration time of the challenge.'),
      statement: z.string().describe('Human-readable statement to sign.'),
    })
    .describe('Values of the message to sign.'),
  supportedChains: z
    .array(
      z.object({
        chainId: z.string().describe('Chain as a CAIP-2 ID.'),
        type: z.enum(['eip191', 'eip1271', 'ed25519']).describe("Signature type of the chain's wallets."),
      }),
    )
    .describe('Chains with supported wallets.'),
})

export const PaymentDiscovery = z.object({
  x402Version: z.literal(2),
  error: z.literal('Payment required'),
  resource: z
    .object({
      url: z.string().describe('URL of the resource.'),
      description: z.string().describe('Description of the resource.'),
      mimeType: z.string().describe('Media type of the response.'),
    })
    .describe('Resource that requires payment.'),
  accepts: z.array(PaymentTerms).describe('Accepted payments.'),
  extensions: z
    .object({ 'sign-in-with-x': WalletChallenge.describe('Challenge to sign.') })
    .optional()
    .describe('Other authentication methods.'),
  authOptions: z
    .object({
      apiKey: z
        .object({
          header: z.string().describe('Name of the header.'),
          getKey: z.string().describe('URL of the page to create keys.'),
          docs: z.string().describe('URL of the documentation.'),
        })
        .describe('Authentication with an API key.'),
      x402Wallet: z
        .object({
          header: z.string().describe('Name of the header.'),
          legacyHeader: z.string().describe('Legacy name of the header.'),
          topUp: z.string().describe("Top-up of the wallet's credit."),
          docs: z.string().describe('URL of the documentation.'),
        })
        .describe('Authentication with a wallet.'),
    })
    .describe('Authentication methods, for human readers.'),
})

export const WalletCreditTooLow = z.object({
  error: z.literal('Payment required'),
  code: z.literal('PAYMENT_REQUIRED'),
  reason: z.literal('insufficient_balance'),
  message: z.string().describe('Human-readable message: the problem and how to fix it.'),
  description: z.string().describe('Recommended action.'),
  currentBalanceUsd: z.number().describe('Current credit in US dollars.'),
  minimumBalanceUsd: z.number().describe('Required credit in US dollars.'),
  suggestedTopUpUsd: z.number().describe('Suggested top-up in US dollars.'),
  minimumTopUpUsd: z.number().describe('Minimum top-up in US dollars.'),
  supportedTokens: z.array(z.literal('USDC')).describe('Supported tokens.'),
  supportedChains: z.array(z.enum(['base', 'solana'])).describe('Supported chains.'),
  topUpInstructions: z
    .object({
      step1: z.string().describe('First step.'),
      step2: z.string().describe('Second step.'),
      step3: z.string().describe('Third step.'),
      receiverWallet: z.string().describe('Address of the recipient.'),
      tokenAddress: z.string().describe('Address of the USDC token.'),
      tokenDecimals: z.literal(6),
      network: z.string().describe('Chain of the payment.'),
      minimumAmountUsd: z.number().describe('Minimum top-up in US dollars.'),
    })
    .describe('Top-up instructions, step by step.'),
  siwxChallenge: WalletChallenge.describe('Challenge to sign for the next request.'),
})

export const TopUpTerms = z.object({
  x402Version: z.literal(2),
  accepts: z.array(PaymentTerms).describe('Accepted payments. Choose one.'),
})

export const PaymentError = z.object({
  error: z.string().describe('Error code.'),
  message: z.string().describe('Human-readable message: the problem and how to fix it.'),
  details: z.record(z.string(), z.unknown()).optional().describe('Additional details, such as `paymentId`.'),
})

// Maximum offset: the database reads the skipped rows, too. Longer histories are exported.
const MAX_OFFSET = 10_000

// Source: API contract, x402.md 6.
export const TransactionsQuery = z.object({
  limit: whole(1, 100).default(50).describe('Maximum number of rows.'),
  offset: whole(0, MAX_OFFSET).default(0).describe('Number of rows to skip.'),
})

export const TopUpReceipt = z.object({
  success: z.literal(true),
  data: z
    .object({
      walletAddress: z.string().describe('Address of the wallet that paid.'),
      amountCredited: z.number().describe('Credited amount in US dollars.'),
      newBalance: z.number().describe('New credit in US dollars.'),
      paymentId: z.string().describe('ID of the payment. Include it in support requests.'),
    })
    .describe('Credited payment.'),
})

export const WalletBalance = z.object({
  success: z.literal(true),
  data: z
    .object({
      walletAddress: z.string().describe('Address of the wallet.'),
      balanceUsd: z.number().describe('Credit in US dollars.'),
      canConsume: z.boolean().describe('`true` if the wallet can pay for a request.'),
      minimumTopUpUsd: z.number().describe('Minimum top-up in US dollars.'),
      suggestedTopUpUsd: z.number().describe('Suggested top-up in US dollars.'),
      diemBalanceUsd: z.number().optional().describe('Daily credit, if tokens are staked.'),
    })
    .describe('Credit of the wallet.'),
})

export const WalletTransactions = z.object({
  success: z.literal(true),
  data: z
    .object({
      walletAddress: z.string().describe('Address of the wallet.'),
      currentBalance: z
        .number()
        .describe(
          'Available credit in US dollars, as in `X-Balance-Remaining`. Excludes amounts reserved by running requests.',
        ),
      transactions: z
        .array(
          z.object({
            id: z.string().describe('ID of the ledger entry.'),
            amount: z.number().describe('Amount in US dollars; negative for charges.'),
            balanceAfter: z
              .number()
              .describe('Credit after the transaction, including amounts reserved by running requests.'),
            type: z.enum(['TOP_UP', 'CHARGE', 'REFUND']).describe('Type of the transaction.'),
            createdAt: z.iso.datetime().describe('Time of the transaction.'),
            requestId: z.string().nullable().describe('ID of the charged request.'),
            modelId: z.string().nullable().describe('ID of the model used.'),
            description: z
              .string()
              .nullable()
              .describe(
                'Description of a purchase other than a model: for JSON-RPC, the methods, the number of calls to each, and the network.',
              ),
          }),
        )
        .describe('Transactions, newest first.'),
      pagination: z
        .object({
          limit: z.int().describe('Number of rows per page.'),
          offset: z.int().describe('Number of rows before this page.'),
          hasMore: z.boolean().describe('`true` if more rows follow.'),
        })
        .describe('Position of this page in the list.'),
    })
    .describe('Transactions and credit of the wallet.'),
})

export type WalletChallenge = z.output<typeof WalletChallenge>
export type TopUpReceipt = z.output<typeof TopUpReceipt>
export type WalletTransactions = z.output<typeof WalletTransactions>
