import {
  address as asAddress,
  getTransactionDecoder,
  getTransactionEncoder,
  type Transaction,
  type TransactionModifyingSigner,
  type TransactionSigner,
} from '@solana/kit'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { X402_VERSION } from '@/components/wallet/top-up/wire'
import type { PaymentOption, PaymentPayload } from '@/lib/browser/wallet-port'

/** Signs a USDC transfer without the fee payer's signature: the service sends it and pays the fee. */
export async function solanaPayment(signer: TransactionSigner, option: PaymentOption): Promise<PaymentPayload> {
  const scheme = new ExactSvmScheme(signer, { rpcUrl: `${window.location.origin}/api/chain/solana` })
  // A way to pay as it came from the service, whose network is one of ours.
  const { payload } = await scheme.createPaymentPayload(
    X402_VERSION,
    option as Parameters<typeof scheme.createPaymentPayload>[1],
  )
  return payload
}

/**
 * Wraps a wallet that takes and returns whole transactions. It may add instructions of its own (Phantom adds guards).
 */
export function walletSigner(
  address: string,
  signTransaction: (wire: Uint8Array) => Promise<Uint8Array>,
): TransactionSigner {
  const encoder = getTransactionEncoder()
  const decoder = getTransactionDecoder()
  const sign = async (transaction: Transaction): Promise<Transaction> =>
    Object.freeze({
      // How long it lives is not in its bytes: that is what it was.
      ...transaction,
      ...decoder.decode(await signTransaction(new Uint8Array(encoder.encode(transaction)))),
    })
  const signer: TransactionModifyingSigner = {
    address: asAddress(address),
    modifyAndSignTransactions: async (transactions) => asSendable(await Promise.all(transactions.map(sign))),
  }
  return signer
}

type Sendable = Awaited<ReturnType<TransactionModifyingSigner['modifyAndSignTransactions']>>

// Kit marks what it has checked for size and lifetime with types alone; its builder has checked what comes in here.
const asSendable = (transactions: readonly Transaction[]): Sendable => transactions as Sendable
