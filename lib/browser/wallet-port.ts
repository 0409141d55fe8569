import type { Hex, TransactionSerializable } from 'viem'
import { create } from 'zustand'
import type { Family } from '@/lib/contract/chains'
import type { Session } from '@/lib/contract/session'
import type { SignInFields } from '@/lib/contract/sign-in-format'

/** A payment option of the service's 402 document. Amounts are base units, as text. */
export type PaymentOption = {
  scheme: string
  network: string
  asset: string
  amount: string
  payTo: string
  maxTimeoutSeconds: number
  extra: Record<string, unknown>
}

/** `{ signature, authorization }` on EVM, `{ transaction }` on Solana. */
export type PaymentPayload = Record<string, unknown>

export type SignedText = { message: string; signature: string }

/** A connected wallet of any family. Every call may open the wallet's own window, so each follows a click. */
export type WalletPort = {
  family: Family
  /** The wallet's reverse domain name on EVM, its name on Solana, `test` for the built-in one. */
  id: string
  name: string
  address: string
  isTest: boolean
  /** Signs a text: EVM answers hex, Solana base58. @throws WalletError */
  signMessage(text: string): Promise<string>
  /** Present where the wallet writes the sign-in text itself. @throws WalletError */
  signIn?(fields: SignInFields): Promise<SignedText>
  /** Present where the page holds the key itself: signs an EVM transaction and sends nothing. */
  signTransaction?(transaction: TransactionSerializable): Promise<Hex>
  /** Signs a payment of `option.amount` and sends nothing. @throws WalletError */
  signPayment(option: PaymentOption): Promise<PaymentPayload>
  /**
   * Calls back when the account changes in the wallet: with its port, or with nothing when the wallet disconnected.
   * @returns what stops it.
   */
  onSwitch(listener: (next: WalletPort | undefined) => void): () => void
  disconnect(): Promise<void>
}

export class WalletError extends Error {
  override name = 'WalletError'
  readonly reason: 'rejected' | 'locked' | 'unsupported' | 'timeout' | 'changed-account' | 'failed'

  constructor(reason: WalletError['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

type WalletConnector = {
  /** Returns the connected wallet of a session, reconnecting it if needed. @throws WalletError */
  portFor(session: Session): Promise<WalletPort>
  testPort(): Promise<WalletPort>
}

const useConnected = create<{ port?: WalletPort | undefined }>(() => ({}))

/** Returns the wallet connected to this page; none after a reload until something needs it. */
export const useWalletPort = (): WalletPort | undefined => useConnected(({ port }) => port)

export const connectedPort = (): WalletPort | undefined => useConnected.getState().port

export const setConnectedPort = (port: WalletPort | undefined): void => useConnected.setState({ port })

let load: (() => Promise<WalletConnector>) | undefined

/** Registers where wallets come from; they are fetched when first needed. */
export function provideWallets(connector: () => Promise<WalletConnector>): void {
  load = connector
}

/** @throws Error where the page has no wallets */
export async function wallets(): Promise<WalletConnector> {
  if (!load) throw new Error('no wallets are provided')
  return await load()
}
