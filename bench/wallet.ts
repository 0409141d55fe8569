import { createKeyPairSignerFromPrivateKeyBytes, getBase58Decoder, signBytes } from '@solana/kit'
import { x402Client } from '@x402/core/client'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { CHAIN_REFERENCE, EVM_NETWORK, type Family, SOLANA_NETWORK } from '@/lib/contract/chains'
import { hex } from '@/lib/contract/ids'
import { signInText } from '@/lib/contract/sign-in-text'

/** A wallet with a key of its own, as a program has it. */
export type Wallet = {
  family: Family
  address: string
  /** A `SIGN-IN-WITH-X` header for the service at this origin, good for one request within five minutes. */
  proof: (origin: string) => Promise<string>
  /** A signed payment of what an offer asks for on this wallet's chain. Every one is another. */
  pay: (offer: PaymentRequired) => Promise<PaymentPayload>
}

const NONCE_BYTES = 16
const SEED_BYTES = 32

export function evmWallet(): Wallet {
  const account = privateKeyToAccount(generatePrivateKey())
  const { address } = account
  const payer = new x402Client().register('eip155:*', new ExactEvmScheme(account)).setSpendControls(false)
  return {
    family: 'evm',
    address,
    proof: async (origin) => {
      const message = textOf('evm', address, origin)
      const signature = await account.signMessage({ message })
      return base64Json({ address, message, signature, chainId: EVM_NETWORK })
    },
    pay: (offer) => payer.createPaymentPayload(offer),
  }
}

/** `nodeUrl` is asked for the block that a payment names. */
export async function solanaWallet(nodeUrl: string): Promise<Wallet> {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(crypto.getRandomValues(new Uint8Array(SEED_BYTES)))
  const { address, keyPair } = signer
  const scheme = new ExactSvmScheme(signer, { rpcUrl: nodeUrl })
  const payer = new x402Client().register('solana:*', scheme).setSpendControls(false)
  return {
    family: 'solana',
    address,
    proof: async (origin) => {
      const message = textOf('solana', address, origin)
      const signed = await signBytes(keyPair.privateKey, new TextEncoder().encode(message))
      const signature = getBase58Decoder().decode(signed)
      return base64Json({ address, message, signature, chainId: SOLANA_NETWORK, type: 'ed25519' })
    },
    pay: (offer) => payer.createPaymentPayload(offer),
  }
}

function textOf(family: Family, address: string, origin: string): string {
  return signInText({
    family,
    domain: new URL(origin).host,
    address,
    uri: origin,
    chainId: CHAIN_REFERENCE[family],
    nonce: hex(NONCE_BYTES),
    issuedAt: new Date().toISOString(),
  })
}

/** A value as x402's headers carry it. */
export const base64Json = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')
