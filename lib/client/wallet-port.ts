import type { Family } from '@/lib/core/chains'

/** A payment option as a 402 document of the service offers it. Amounts are base units, as text. */
export type PaymentOption = {
  scheme: string
  network: string
  asset: string
  amount: string
  payTo: string
  maxTimeoutSeconds: number
  extra: Record<string, unknown>
}

/** What a signed payment carries: `{ signature, authorization }` on EVM, `{ transaction }` on Solana. */
export type PaymentPayload = Record<string, unknown>

/**
 * A connected wallet, whatever its family: what the page asks of it. Every call may open the wallet's own window, so each
 * follows a click.
 */
export type WalletPort = {
  family: Family
  /** As the wallet calls itself. */
  name: string
  /** EVM with its checksum, Solana in base58. */
  address: string
  /** The built-in wallet with test money. */
  isTest: boolean
  /** Signs a text: EVM answers hex, Solana base58. @throws WalletError */
  signMessage(text: string): Promise<string>
  /** Signs a payment of `option.amount` and sends nothing. @throws WalletError */
  signPayment(option: PaymentOption): Promise<PaymentPayload>
  disconnect(): Promise<void>
}

/** Why a wallet did not do what it was asked; `message` can be shown. */
export class WalletError extends Error {
  override name = 'WalletError'
  readonly reason: 'rejected' | 'locked' | 'unsupported' | 'timeout' | 'changed-account' | 'failed'

  constructor(reason: WalletError['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}
