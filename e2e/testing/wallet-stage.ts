import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from '@playwright/test'
import { createKeyPairSignerFromPrivateKeyBytes, getBase58Decoder, type KeyPairSigner, signBytes } from '@solana/kit'
import type { PrivateKeyAccount } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage, generateSiweNonce } from 'viem/siwe'
import { usdcOf } from '@/e2e/testing/chain-balances'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { CHAIN_REFERENCE, SOLANA_NETWORK } from '@/lib/contract/chains'
import { signInText } from '@/lib/contract/sign-in-format'
import type { Sandbox } from '@/lib/services/chains/sandbox'

const BASE_UNITS_PER_USD = 1_000_000n

export type WalletStage = Stage & {
  /** The local chains as they run now: other ports after a restart. */
  chains: () => Promise<Sandbox>
  /** Test USDC for an address of either chain, as `admin sandbox fund` gives it. */
  fund: (address: string, usd?: string) => Promise<void>
  /** What the house has been paid, in base units of USDC, as the chains say. */
  received: () => Promise<{ evm: bigint; solana: bigint }>
}

/** The built server on its local chains. Nobody is given welcome credit, so that what a wallet has is what it paid. */
export async function openWalletStage(
  limits: object = {},
  variables: Record<string, string> = {},
): Promise<WalletStage> {
  const routes = { 'top-up': 1_000, 'x402-balance': 1_000, 'x402-transactions': 1_000 }
  const stage = await openStage(
    { failedRequests: { count: 1_000 }, routes, ...limits },
    { WELCOME_CREDIT_USD: '0', ...variables },
  )
  const file = path.join(stage.dataDir, 'sandbox', 'sandbox.json')
  const chains = async (): Promise<Sandbox> => JSON.parse(await readFile(file, 'utf8'))
  return Object.assign(stage, {
    chains,
    fund: async (address: string, usd = '50') => {
      // A server may be ready before its chains are.
      await expect(async () => {
        const { evmUrl, solanaUrl } = await chains()
        const node = address.startsWith('0x') ? evmUrl : solanaUrl
        const params = [address, (BigInt(usd) * BASE_UNITS_PER_USD).toString()]
        const response = await fetch(node, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_fund', params }),
        })
        expect(await response.json()).not.toHaveProperty('error')
      }).toPass()
    },
    received: async () => {
      const { evmUrl, solanaUrl, payTo } = await chains()
      const [evm, solana] = await Promise.all([
        usdcOf('evm', evmUrl, payTo.evm),
        usdcOf('solana', solanaUrl, payTo.solana),
      ])
      return { evm, solana }
    },
  })
}

export const newEvmAccount = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

export const newSolanaSigner = (): Promise<KeyPairSigner> =>
  createKeyPairSignerFromPrivateKeyBytes(crypto.getRandomValues(new Uint8Array(32)))

/** A `SIGN-IN-WITH-X` header of an EVM wallet for the service at this address, good for one request. */
export async function evmProof(baseUrl: string, account: PrivateKeyAccount): Promise<string> {
  const message = createSiweMessage({
    domain: new URL(baseUrl).host,
    address: account.address,
    uri: baseUrl,
    version: '1',
    chainId: Number(CHAIN_REFERENCE.evm),
    nonce: generateSiweNonce(),
    issuedAt: new Date(),
  })
  return btoa(JSON.stringify({ address: account.address, message, signature: await account.signMessage({ message }) }))
}

/** The same of a Solana wallet. */
export async function solanaProof(baseUrl: string, { address, keyPair }: KeyPairSigner): Promise<string> {
  const message = signInText({
    family: 'solana',
    domain: new URL(baseUrl).host,
    address,
    uri: baseUrl,
    chainId: CHAIN_REFERENCE.solana,
    nonce: generateSiweNonce(),
    issuedAt: new Date().toISOString(),
  })
  const signed = await signBytes(keyPair.privateKey, new TextEncoder().encode(message))
  const signature = getBase58Decoder().decode(signed)
  return btoa(JSON.stringify({ address, message, signature, chainId: SOLANA_NETWORK, type: 'ed25519' }))
}
