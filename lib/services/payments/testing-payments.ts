import {
  createKeyPairFromBytes,
  createSolanaRpc,
  getBase64EncodedWireTransaction,
  signTransaction,
  type Transaction,
  type TransactionWithinSizeLimit,
  type TransactionWithLifetime,
} from '@solana/kit'
import { createWalletClient, defineChain, type Hex, http, parseAbi, parseSignature } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import type { Database } from '@/lib/db/database'
import { rails } from '@/lib/services/chains/rails'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { createLedger } from '@/lib/services/ledger/ledger'
import { chainOf } from '@/lib/services/payments/chain'
import { fromClient } from '@/lib/services/payments/facilitator'
import { localClient } from '@/lib/services/payments/facilitator-local'
import { decodeTransaction } from '@/lib/services/payments/payment-solana'
import type { EvmPayload, Payment, SolanaPayload } from '@/lib/services/payments/payment-types'
import { readPayment } from '@/lib/services/payments/read-payment'
import { type Outcome, reconcilePayments } from '@/lib/services/payments/reconciler'
import type { Point } from '@/lib/services/payments/settlement'
import { createStore } from '@/lib/services/payments/store'
import { type EvmWallet, payV2, railOf, type TestWallet, termsOf, toHeader } from '@/lib/services/payments/testing'
import { createTopUps, type TopUps } from '@/lib/services/payments/top-up'
import type { TestChains } from '@/sandbox/testing'

export const TOKEN = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls) returns ((bool success, bytes returnData)[])',
])

const BASE = defineChain({
  id: 8453,
  name: 'Base',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})

type SignableTransaction = Transaction & TransactionWithinSizeLimit & TransactionWithLifetime

export async function paymentMaker(chains: TestChains) {
  const client = await localClient(chains.sandbox)
  const asset = railOf('evm').asset as Hex

  const senderOf = (account: ReturnType<typeof privateKeyToAccount>) =>
    createWalletClient({ account, chain: BASE, transport: http(chains.sandbox.evmUrl) })

  async function stranger() {
    const account = privateKeyToAccount(generatePrivateKey())
    await chains.fundEvm(account.address, 0n)
    return senderOf(account)
  }

  function callOf(payment: Payment) {
    const { authorization: a, signature } = payment.payload as EvmPayload
    const { yParity, r, s } = parseSignature(signature)
    const numbers = [BigInt(a.value), BigInt(a.validAfter), BigInt(a.validBefore)] as const
    return {
      address: asset,
      abi: TOKEN,
      functionName: 'transferWithAuthorization',
      args: [a.from, a.to, ...numbers, a.nonce, yParity + 27, r, s],
    } as const
  }

  return {
    client,
    senderOf,
    stranger,
    callOf,
    async sign(wallet: TestWallet, amount = 5_000_000n): Promise<Payment> {
      const terms = await termsOf(chains.sandbox, wallet.family, { amount })
      return readPayment(toHeader(await payV2(chains.sandbox, wallet, terms)), rails())
    },
    payDirectly: (wallet: EvmWallet, value: bigint): Promise<Hex> =>
      senderOf(wallet.account).writeContract({
        address: asset,
        abi: TOKEN,
        functionName: 'transfer',
        args: [railOf('evm').payTo as Hex, value],
      }),
    async forceSolana(payment: Payment): Promise<void> {
      const house = await createKeyPairFromBytes(Buffer.from(chains.sandbox.facilitator.solana, 'base64'))
      const { transaction } = decodeTransaction((payment.payload as SolanaPayload).transaction)
      const signed = getBase64EncodedWireTransaction(await signTransaction([house], transaction as SignableTransaction))
      const rpc = createSolanaRpc(chains.sandbox.solanaUrl)
      await rpc.sendTransaction(signed, { encoding: 'base64', skipPreflight: true }).send()
    },
    async broadcast(payment: Payment): Promise<string> {
      if (payment.family === 'evm') return (await stranger()).writeContract(callOf(payment))
      const terms = await termsOf(chains.sandbox, 'solana', { amount: payment.amount })
      const accepted = terms as typeof terms & { network: `${string}:${string}` }
      const settled = await client.settle({ x402Version: 2, accepted, payload: { ...payment.payload } }, accepted)
      expect(settled.success).toBe(true)
      return settled.transaction
    },
  }
}

export type Said = { status: number; code: string; state: string | undefined; credit: bigint }

export async function paymentWorld(database: Database, chains: TestChains) {
  const store = createStore(async () => database)
  const { client, ...maker } = await paymentMaker(chains)
  const facilitator = fromClient(client)
  const ledger = createLedger(database)
  const tools = { store, rails, chainOf, database: async () => database, reorg: { blocks: 2n, misses: 2 } }

  const accountOf = async (wallet: string): Promise<string> =>
    (await database.query<{ id: string }>('select id from account where ref = $1', [wallet]))[0]?.id ?? ''

  async function creditOf(wallet: string): Promise<bigint> {
    const id = await accountOf(wallet)
    return id === '' ? 0n : (await ledger.balancesOf(id)).USD
  }

  async function dieAt(point: Point, payment: Payment): Promise<void> {
    const arrived = Promise.withResolvers<void>()
    const at = (reached: Point) => {
      if (reached !== point) return
      arrived.resolve()
      return new Promise<void>(() => undefined)
    }
    void createTopUps({ store, chainOf, facilitator: async () => facilitator, at }).credit(payment)
    await arrived.promise
    await database.query(`update payment set lease_until = now() - interval '1 second' where key = $1`, [payment.key])
  }

  afterAll(async () => {
    await ledger.settled()
    const findings = await checkLedger(database, { depth: 'full' })
    expect(findings.filter(({ broken }) => broken > 0)).toEqual([])
  })

  return {
    ...maker,
    store,
    ledger,
    facilitator,
    tools,
    accountOf,
    dieAt,
    credit: (payment: Payment) =>
      createTopUps({ store, chainOf, facilitator: async () => facilitator, waitsMs: [50, 100] }).credit(payment),
    async send(payment: Payment, through: TopUps): Promise<Said> {
      const { status, code } = await through.credit(payment).then(
        () => ({ status: 200, code: 'OK' }),
        (error: unknown) =>
          error instanceof ApiError ? { status: error.status, code: error.code } : Promise.reject(error),
      )
      const row = await store.find(payment.key)
      return { status, code, state: row?.state, credit: await creditOf(payment.payer) }
    },
    stateOf: async ({ key }: Payment) => (await store.find(key))?.state,
    creditOf,
    outcomeOf: async ({ key }: Payment): Promise<Outcome | undefined> =>
      (await reconcilePayments(tools, { isEarly: true })).find(({ row }) => row.key === key)?.outcome,
  }
}
