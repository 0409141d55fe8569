import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { PaymentRequired } from '@x402/core/types'
import { type Child, startChild } from '@/bench/children'
import type { ClientCalls } from '@/bench/load'
import type { MockCalls, Plan } from '@/bench/mock-plan'
import type { RailCalls } from '@/bench/payment-rail'
import { createKey, type Product, startProduct } from '@/bench/product'
import { writeSettings } from '@/bench/settings'
import { base64Json, evmWallet, solanaWallet, type Wallet } from '@/bench/wallet'
import type { Family } from '@/lib/contract/chains'
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
  /** Where requests go. */
  url: string
  /** What the product takes for its own origin: sign-in texts and cookies are for it. */
  origin: string
  /** An API key with credit. */
  key: string
  wallets: Record<Family, Wallet>
  /** A wallet that the service does not know yet, with test USDC. */
  newWallet: (family: Family) => Promise<Wallet>
  /** The cookie of a browser session of the EVM wallet. */
  cookie: string
  /** What the product asks for a top-up. */
  offer: PaymentRequired
  /** Where the facilitator listens, if it has a process of its own. */
  facilitatorUrl?: string
  /** What the mock upstream answers. */
  plan: Plan
  stop: () => Promise<void>
}

const CREDIT_USD = '1000'
/** What a wallet is given: one top-up of 5 USD leaves some. */
const FUNDS_UNITS = 10_000_000n
export const METRICS_TOKEN = 'bench-metrics-token'
/** An answer of 1 KB in one piece. */
const PLAN: Plan = { tokens: 128, paceMs: 0, firstTokenMs: 0, tokensPerEvent: 128, hasOwnWrites: true }

type Chains = Pick<Sandbox, 'evmUrl' | 'solanaUrl'>
type Started = { product: Product; chains: Chains; facilitatorUrl?: string }
type Keep = <T extends { stop: () => Promise<unknown> }>(started: T) => T

/** Starts every process of a bed, each a child of its own, and makes two wallets that are known and have credit. */
export async function openWalletBed(name: BedName, folder: string): Promise<WalletBed> {
  const stops: (() => Promise<unknown>)[] = []
  const keep: Keep = (started) => {
    stops.unshift(started.stop)
    return started
  }
  const stop = async () => {
    for (const end of stops.splice(0)) await end()
  }
  try {
    const mock = keep(await startChild<MockCalls>('mock-upstream'))
    await mock.call('plan', PLAN)
    const client = keep(await startChild<ClientCalls>('load-client'))
    const settings = { ...(await writeSettings(folder, await mock.call('listen'))), METRICS_TOKEN }
    const { product, chains, facilitatorUrl } = await START[name](folder, settings, keep)
    const place = { url: `http://127.0.0.1:${product.port}`, origin: `http://localhost:${product.port}` }
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
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
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

/** Gives an address test USDC, by the method that the local nodes have for it. */
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

/** @returns the cookie, as a browser sends it. */
async function openSession({ url, origin }: { url: string; origin: string }, wallet: Wallet): Promise<string> {
  const headers = { origin, 'sign-in-with-x': await wallet.proof(origin) }
  const response = await fetch(`${url}/api/session`, { method: 'POST', headers })
  const cookie = response.headers.get('set-cookie')?.split(';', 1)[0]
  if (!cookie) throw new Error(`no session: ${response.status} ${await response.text()}`)
  return cookie
}
