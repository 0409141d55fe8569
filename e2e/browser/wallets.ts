import { createPrivateKey, sign } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { Keypair, VersionedTransaction } from '@solana/web3.js'
import { type Hex, hexToString, isHex, numberToHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { COST_NANO } from '@/e2e/testing/contract-upstream'

/** What a person does when the wallet's window opens. */
export type Answer = 'approve' | 'reject' | 'ignore'

/** A wallet of the test: the page has a proxy, the key stays in the test's process and signs for real. */
export type InjectedWallet = {
  address: string
  /** The methods that the page called, in order. Those that would have opened a window are in `prompts` too. */
  calls: string[]
  prompts: string[]
  /** What happens to the prompts to come, by method; everything else is approved. */
  answers: Map<string, Answer>
  request: (method: string, parameters: unknown[]) => Promise<unknown>
}

type TypedData = Parameters<ReturnType<typeof privateKeyToAccount>['signTypedData']>[0]

/** EIP-1193's code for "the user rejected the request". */
const REJECTED = 4001
const UNSUPPORTED = 4200
const PROMPTING = [
  'eth_requestAccounts',
  'personal_sign',
  'eth_signTypedData_v4',
  'connect',
  'signMessage',
  'signTransaction',
]
const DER_OF_ED25519_SEED = Buffer.from('302e020100300506032b657004220420', 'hex')

export function evmWallet(): InjectedWallet {
  const account = privateKeyToAccount(generatePrivateKey())
  let chainId = 8453
  // A wallet that shows accounts before the person agreed is connected without a click.
  let isGranted = false
  return wallet(account.address, async (method, parameters) => {
    switch (method) {
      case 'eth_requestAccounts':
      case 'wallet_requestPermissions':
        isGranted = true
        return method === 'eth_requestAccounts'
          ? [account.address]
          : [{ parentCapability: 'eth_accounts', caveats: [] }]
      case 'eth_accounts':
        return isGranted ? [account.address] : []
      case 'wallet_revokePermissions':
        isGranted = false
        return null
      case 'eth_chainId':
        return numberToHex(chainId)
      case 'wallet_switchEthereumChain':
        chainId = Number((parameters[0] as { chainId: string }).chainId)
        return null
      case 'personal_sign': {
        const data = parameters[0] as string
        return account.signMessage({ message: isHex(data) ? { raw: data as Hex } : data })
      }
      case 'eth_signTypedData_v4': {
        const { domain, types, primaryType, message } = JSON.parse(parameters[1] as string) as TypedData & {
          types: object
        }
        const { EIP712Domain: _, ...rest } = types as Record<string, never>
        return account.signTypedData({ domain, types: rest, primaryType, message } as TypedData)
      }
      default:
        throw Object.assign(new Error(`unsupported ${method}`), { code: UNSUPPORTED })
    }
  })
}

export function solanaWallet(): InjectedWallet {
  const pair = Keypair.generate()
  const key = createPrivateKey({
    key: Buffer.concat([DER_OF_ED25519_SEED, pair.secretKey.subarray(0, 32)]),
    format: 'der',
    type: 'pkcs8',
  })
  return wallet(pair.publicKey.toBase58(), async (method, [base64]) => {
    if (method === 'connect') return null
    const bytes = Buffer.from(base64 as string, 'base64')
    if (method === 'signMessage') return sign(null, bytes, key).toString('base64')
    const transaction = VersionedTransaction.deserialize(bytes)
    transaction.sign([pair])
    return Buffer.from(transaction.serialize()).toString('base64')
  })
}

type Row = { type: string; amount: number }

const FIVE_NANO = 5_000_000_000n
const nanoOf = (usd: number): bigint => BigInt(Math.round(usd * 1e9))

/** What one answer of `wallet-stage.ts` costs, as a receipt shows it. */
export const ANSWER_USD = `0.${String(COST_NANO)
  .padStart(9, '0')
  .replace(/0{1,5}$/, '')}`

/** In the books of this browser's wallet are a top-up of five dollars and one answer. */
export async function expectBooks(page: Page, address: string): Promise<void> {
  const path = `/api/v1/x402/transactions/${address}`
  const { currentBalance, transactions } = await page.evaluate(
    async (url) => (await (await fetch(url)).json()).data,
    path,
  )
  expect(transactions.map(({ type, amount }: Row) => ({ type, nano: nanoOf(amount) }))).toEqual([
    { type: 'CHARGE', nano: -COST_NANO },
    { type: 'TOP_UP', nano: FIVE_NANO },
  ])
  expect(nanoOf(currentBalance)).toBe(FIVE_NANO - COST_NANO)
}

/** The text that a wallet was asked to sign, as the person would read it. */
export const shownText = (data: string): string => (isHex(data) ? hexToString(data) : data)

/** Puts wallets into every page that opens from now on: announced as installed ones announce themselves. */
export async function inject(page: Page, wallets: { evm?: InjectedWallet; solana?: InjectedWallet }): Promise<void> {
  const { evm, solana } = wallets
  if (evm) {
    await page.exposeFunction('__evmRequest', answering(evm))
    await page.addInitScript(announceEvm)
  }
  if (solana) {
    await page.exposeFunction('__solanaRequest', answering(solana))
    await page.addInitScript(registerSolana, solana.address)
  }
}

function wallet(address: string, perform: InjectedWallet['request']): InjectedWallet {
  const made: InjectedWallet = {
    address,
    calls: [],
    prompts: [],
    answers: new Map(),
    async request(method, parameters) {
      made.calls.push(method)
      if (PROMPTING.includes(method)) {
        made.prompts.push(method)
        const answer = made.answers.get(method) ?? 'approve'
        if (answer === 'reject') throw Object.assign(new Error('User rejected the request.'), { code: REJECTED })
        // A window that nobody looks at.
        if (answer === 'ignore') return new Promise(() => undefined)
      }
      return perform(method, parameters)
    },
  }
  return made
}

type Answered = { result: unknown } | { error: string; code: number }

const answering =
  ({ request }: InjectedWallet) =>
  (method: string, parameters: unknown[] = []): Promise<Answered> =>
    request(method, parameters).then(
      (result) => ({ result }),
      (error: Error & { code?: number }) => ({ error: error.message, code: error.code ?? -32603 }),
    )

/** Runs in the page: EIP-1193 behind EIP-6963. */
function announceEvm(): void {
  type Listener = (value: unknown) => void
  const ask = (window as unknown as { __evmRequest: (method: string, parameters?: unknown[]) => Promise<Answered> })
    .__evmRequest
  const listeners: Record<string, Set<Listener>> = {}
  const provider = {
    on(event: string, listener: Listener) {
      listeners[event] ??= new Set()
      listeners[event].add(listener)
      return provider
    },
    removeListener(event: string, listener: Listener) {
      listeners[event]?.delete(listener)
      return provider
    },
    async request({ method, params }: { method: string; params?: unknown[] }) {
      const answer = await ask(method, params ?? [])
      if ('error' in answer) throw Object.assign(new Error(answer.error), { code: answer.code })
      return answer.result
    },
  }
  const icon = 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>'
  const info = { uuid: '350670db-19fa-4704-a166-e52e178b59d2', name: 'Test EVM', icon, rdns: 'test.evm' }
  const announce = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
  window.addEventListener('eip6963:requestProvider', announce)
  announce()
}

/** Runs in the page: a Wallet-Standard wallet. */
function registerSolana(address: string): void {
  const ask = (window as unknown as { __solanaRequest: (method: string, parameters?: unknown[]) => Promise<Answered> })
    .__solanaRequest
  const call = async (method: string, ...parameters: unknown[]) => {
    const answer = await ask(method, parameters)
    if ('error' in answer) throw Object.assign(new Error(answer.error), { code: answer.code })
    return answer.result as string
  }
  const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))
  const bytesOf = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  const decode58 = (text: string) => {
    const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
    let value = 0n
    for (const character of text) value = value * 58n + BigInt(alphabet.indexOf(character))
    return Uint8Array.from(
      (value.toString(16).padStart(64, '0').match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)),
    )
  }
  const chains = ['solana:mainnet'] as const
  const features = ['solana:signMessage', 'solana:signTransaction'] as const
  const account = { address, publicKey: decode58(address), chains, features }
  const wallet = {
    version: '1.0.0',
    name: 'Test Solana',
    icon: `data:image/svg+xml;base64,${btoa('<svg xmlns="http://www.w3.org/2000/svg"/>')}`,
    chains,
    accounts: [] as (typeof account)[],
    features: {
      'standard:connect': {
        version: '1.0.0',
        connect: async ({ silent }: { silent?: boolean } = {}) => {
          if (wallet.accounts.length === 0 && !silent) {
            await call('connect')
            wallet.accounts = [account]
          }
          return { accounts: wallet.accounts }
        },
      },
      'standard:disconnect': {
        version: '1.0.0',
        disconnect: async () => {
          wallet.accounts = []
        },
      },
      'standard:events': { version: '1.0.0', on: () => () => undefined },
      'solana:signMessage': {
        version: '1.1.0',
        signMessage: (...inputs: { message: Uint8Array }[]) =>
          Promise.all(
            inputs.map(async ({ message }) => ({
              signedMessage: message,
              signature: bytesOf(await call('signMessage', base64(message))),
            })),
          ),
      },
      'solana:signTransaction': {
        version: '1.0.0',
        supportedTransactionVersions: ['legacy', 0],
        signTransaction: (...inputs: { transaction: Uint8Array }[]) =>
          Promise.all(
            inputs.map(async ({ transaction }) => ({
              signedTransaction: bytesOf(await call('signTransaction', base64(transaction))),
            })),
          ),
      },
    },
  }
  const register = (api: { register: (wallet: unknown) => void }) => api.register(wallet)
  window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }))
  window.addEventListener('wallet-standard:app-ready', (event) =>
    register((event as CustomEvent<{ register: (wallet: unknown) => void }>).detail),
  )
}
