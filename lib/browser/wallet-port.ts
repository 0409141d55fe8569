import type { Hex, TransactionSerializable } from 'viem'
import { create } from 'zustand'
import type { Session } from '@/lib/browser/session'
import type { Family } from '@/lib/contract/chains'
import type { SignInFields } from '@/lib/contract/sign-in-text'

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

/** A text and its signature: EVM in hex, Solana in base58. */
export type SignedText = { message: string; signature: string }

/**
 * A connected wallet, whatever its family: what the page asks of it. Every call may open the wallet's own window, so each
 * follows a click.
 */
export type WalletPort = {
  family: Family
  /** What the page knows the wallet by: its reverse domain name on EVM, its name on Solana, `test` for the built-in one. */
  id: string
  /** As the wallet calls itself. */
  name: string
  /** EVM with its checksum, Solana in base58. */
  address: string
  /** The built-in wallet with test money. */
  isTest: boolean
  /** Signs a text: EVM answers hex, Solana base58. @throws WalletError */
  signMessage(text: string): Promise<string>
  /** Where the wallet signs no text of ours but writes the sign-in text itself. @throws WalletError */
  signIn?(fields: SignInFields): Promise<SignedText>
  /** Where the page holds the key itself: signs an EVM transaction and sends nothing. */
  signTransaction?(transaction: TransactionSerializable): Promise<Hex>
  /** Signs a payment of `option.amount` and sends nothing. @throws WalletError */
  signPayment(option: PaymentOption): Promise<PaymentPayload>
  /**
   * Calls back when the person switches accounts in the wallet: with the port of the new account, or with nothing when the
   * wallet was taken away. Returns how to stop.
   */
  onSwitch(listener: (next: WalletPort | undefined) => void): () => void
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

/** What other features ask of the wallet's own. */
type WalletConnector = {
  /** The connected wallet of a session, found again or asked for. @throws WalletError */
  portFor(session: Session): Promise<WalletPort>
  /** The built-in wallet on an EVM chain. */
  testPort(): Promise<WalletPort>
}

const useConnected = create<{ port?: WalletPort | undefined }>(() => ({}))

/** The wallet that is connected to this page; none after a reload until something needs it. */
export const useWalletPort = (): WalletPort | undefined => useConnected(({ port }) => port)

export const connectedPort = (): WalletPort | undefined => useConnected.getState().port

export const setConnectedPort = (port: WalletPort | undefined): void => useConnected.setState({ port })

let load: (() => Promise<WalletConnector>) | undefined

/** Says where wallets come from. What connects them is fetched when it is first needed. */
export function provideWallets(connector: () => Promise<WalletConnector>): void {
  load = connector
}

/** @throws Error where the page has no wallets */
export async function wallets(): Promise<WalletConnector> {
  if (!load) throw new Error('no wallets are provided')
  return await load()
}
