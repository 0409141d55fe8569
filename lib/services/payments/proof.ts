import 'server-only'
import { address, getBase58Encoder, getPublicKeyFromAddress, signatureBytes, verifySignature } from '@solana/kit'
import { isAddressEqual, recoverTypedDataAddress } from 'viem'
import { CHAIN_REFERENCE } from '@/lib/contract/chains'
import type { Chain } from '@/lib/services/payments/chain-node'
import { verificationFailed } from '@/lib/services/payments/errors'
import { decodeTransaction } from '@/lib/services/payments/payment-solana'
import type { Payment } from '@/lib/services/payments/signed-payment'

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
