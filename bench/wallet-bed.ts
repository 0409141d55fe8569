import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createKeyPairSignerFromPrivateKeyBytes, getBase58Decoder, signBytes } from '@solana/kit'
import { x402Client } from '@x402/core/client'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type Child, type Keep, loopback, openAll, startChild } from '@/bench/children'
import type { ClientCalls } from '@/bench/load-client'
import type { RailCalls } from '@/bench/payment-rail'
import { createKey, type Product, startProduct } from '@/bench/product'
import type { MockCalls, Plan } from '@/bench/settings'
import { writeSettings } from '@/bench/settings'
import { CHAIN_REFERENCE, EVM_NETWORK, type Family, SOLANA_NETWORK } from '@/lib/contract/chains'
import { hex } from '@/lib/contract/ids'
import { signInText } from '@/lib/contract/sign-in-format'
import { Sandbox, sandboxFile } from '@/lib/services/chains/sandbox'
import { startPostgres } from '@/scripts/postgres'

/**
 * How the product stands: as a newcomer starts it (local chains and database with it, the facilitator inside), or as an
 * operator runs it (PostgreSQL, chains and a facilitator over HTTP). The chains are the same local ones.
 */
export type BedName = 'sandbox' | 'operated'

export type WalletBed = {
  name: BedName
  product: Product
  client: Child<ClientCalls>
  url: string
  /** What the product takes for its own origin: sign-in texts and cookies are for it. */
  origin: string
  key: string
  wallets: Record<Family, Wallet>
  /** A wallet that the service does not know yet, with test USDC. */
  newWallet: (family: Family) => Promise<Wallet>
  cookie: string
  offer: PaymentRequired
  facilitatorUrl?: string
  plan: Plan
  stop: () => Promise<void>
}

const CREDIT_USD = '1000'
// What a wallet is given: one top-up of 5 USD leaves some.
const FUNDS_UNITS = 10_000_000n
export const METRICS_TOKEN = 'bench-metrics-token'
const PLAN: Plan = { tokens: 128, paceMs: 0, firstTokenMs: 0, tokensPerEvent: 128, hasOwnWrites: true }

type Chains = Pick<Sandbox, 'evmUrl' | 'solanaUrl'>
type Started = { product: Product; chains: Chains; facilitatorUrl?: string }

/** Starts every process of a bed, each a child of its own, and makes two wallets that are known and have credit. */
export async function openWalletBed(name: BedName, folder: string): Promise<WalletBed> {
  return openAll(async (keep) => {
    const mock = keep(await startChild<MockCalls>('mock-upstream'))
    await mock.call('plan', PLAN)
    const client = keep(await startChild<ClientCalls>('load-client'))
    const settings = { ...(await writeSettings(folder, await mock.call('listen'))), METRICS_TOKEN }
    const { product, chains, facilitatorUrl } = await START[name](folder, settings, keep)
    const place = { url: loopback(product.port), origin: `http://localhost:${product.port}` }
    const newWallet = async (family: Family): Promise<Wallet> => {
      const wallet = family === 'evm' ? evmWallet() : await solanaWallet(chains.solanaUrl)
      await fund(family === 'evm' ? chains.evmUrl : chains.solanaUrl, wallet.address)
      return wallet
    }
    const wallets = { evm: await newWallet('evm'), solana: await newWallet('solana') }
    const offer = await offerOf(place.url)
    for (const wallet of Object.values(wallets)) await topUp(place.url, wallet, offer)
    return {
      name,
      product,
      client,
      ...place,
      key: await createKey(product, CREDIT_USD),
      wallets,
      newWallet,
      cookie: await openSession(place, wallets.evm),
      offer,
      facilitatorUrl,
      plan: PLAN,
    }
  })
}

type Start = (folder: string, settings: Record<string, string>, keep: Keep) => Promise<Started>

const START: Record<BedName, Start> = {
  async sandbox(folder, settings, keep) {
    const dataDir = path.join(folder, 'sandbox')
    const environment = { ...settings, DATA_DIR: dataDir, SANDBOX: 'on', WELCOME_CREDIT_USD: '0' }
    const product = keep(await startProduct({ logFile: path.join(folder, 'sandbox.log'), environment }))
    return { product, chains: Sandbox.parse(JSON.parse(await readFile(sandboxFile(dataDir), 'utf8'))) }
  },
  async operated(folder, settings, keep) {
    const rail = keep(
      await startChild<RailCalls>('payment-rail', {
        environment: {
          ...settings,
          DATA_DIR: path.join(folder, 'rail'),
          SANDBOX: 'on',
          LOG_LEVEL: 'silent',
          HOST: '127.0.0.1',
        },
      }),
    )
    const { evmUrl, solanaUrl, payTo, facilitatorUrl } = await rail.call('open')
    const postgres = keep(await startPostgres())
    const environment = {
      ...settings,
      DATA_DIR: path.join(folder, 'operated'),
      DATABASE_URL: postgres.url,
      SANDBOX: 'off',
      X402_PAY_TO_EVM: payTo.evm,
      X402_PAY_TO_SOLANA: payTo.solana,
      X402_FACILITATOR_URL: facilitatorUrl,
      WALLET_RPC_URL_EVM: evmUrl,
      WALLET_RPC_URL_SOLANA: solanaUrl,
    }
    const product = keep(await startProduct({ logFile: path.join(folder, 'operated.log'), environment }))
    return { product, chains: { evmUrl, solanaUrl }, facilitatorUrl }
  },
}

async function fund(nodeUrl: string, address: string): Promise<void> {
  const params = [address, FUNDS_UNITS.toString()]
  const response = await fetch(nodeUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_fund', params }),
  })
  const { error } = (await response.json()) as { error?: { message: string } }
  if (error) throw new Error(`the faucet: ${error.message}`)
}

async function offerOf(url: string): Promise<PaymentRequired> {
  const response = await fetch(`${url}/api/v1/x402/top-up`, { method: 'POST' })
  const offer = (await response.json()) as PaymentRequired
  if (response.status !== 402 || offer.accepts.length !== 2) throw new Error(`no offer: ${JSON.stringify(offer)}`)
  return offer
}

async function topUp(url: string, wallet: Wallet, offer: PaymentRequired): Promise<void> {
  const headers = { 'payment-signature': base64Json(await wallet.pay(offer)) }
  const response = await fetch(`${url}/api/v1/x402/top-up`, { method: 'POST', headers })
  if (response.status !== 200) throw new Error(`no top-up: ${response.status} ${await response.text()}`)
}

async function openSession({ url, origin }: { url: string; origin: string }, wallet: Wallet): Promise<string> {
  const headers = { origin, 'sign-in-with-x': await wallet.proof(origin) }
  const response = await fetch(`${url}/api/session`, { method: 'POST', headers })
  const cookie = response.headers.get('set-cookie')?.split(';', 1)[0]
  if (!cookie) throw new Error(`no session: ${response.status} ${await response.text()}`)
  return cookie
}

type Wallet = {
  family: Family
  address: string
  /** A `SIGN-IN-WITH-X` header for the service at this origin, good for one request within five minutes. */
  proof: (origin: string) => Promise<string>
  /** A signed payment of what an offer asks for on this wallet's chain. Every one is another. */
  pay: (offer: PaymentRequired) => Promise<PaymentPayload>
}

const NONCE_BYTES = 16
const SEED_BYTES = 32

function evmWallet(): Wallet {
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

async function solanaWallet(nodeUrl: string): Promise<Wallet> {
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

export const base64Json = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')
