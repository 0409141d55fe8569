import { createWalletClient, type Hex, http, parseAbi, parseSignature } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { afterAll, expect } from 'vitest'
import { createLedger } from '@/lib/billing/create-ledger'
import { checkLedger } from '@/lib/billing/invariants'
import type { Database } from '@/lib/db/client'
import { chainOf } from '@/lib/x402/chain'
import { fromClient } from '@/lib/x402/facilitator'
import { localClient } from '@/lib/x402/facilitator-local'
import { type Payment, readPayment } from '@/lib/x402/payment'
import type { EvmPayload } from '@/lib/x402/payment-evm'
import { rails } from '@/lib/x402/rails'
import { type Outcome, reconcilePayments } from '@/lib/x402/reconcile'
import type { Point } from '@/lib/x402/settlement'
import { createStore } from '@/lib/x402/store'
import { payV2, railOf, type TestWallet, termsOf, toHeader } from '@/lib/x402/testing'
import { createTopUps } from '@/lib/x402/top-up'
import type { TestChains } from '@/sandbox/testing'

export const TOKEN = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls) returns ((bool success, bytes returnData)[])',
])

/** Payments, their store, chains and ledger for one test file; at its end the ledger must be sound. */
export async function paymentWorld(database: Database, chains: TestChains) {
  const store = createStore(async () => database)
  const client = await localClient(chains.sandbox)
  const facilitator = fromClient(client)
  const ledger = createLedger(database)
  const tools = { store, rails, chainOf, database: async () => database, reorg: { blocks: 2n, misses: 2 } }
  const asset = railOf('evm').asset as Hex

  const accountOf = async (wallet: string): Promise<string> =>
    (await database.query<{ id: string }>('select id from account where ref = $1', [wallet]))[0]?.id ?? ''
  const senderOf = (account: ReturnType<typeof privateKeyToAccount>) =>
    createWalletClient({ account, chain: base, transport: http(chains.sandbox.evmUrl) })

  /** Somebody with ether and nothing to do with the payment. */
  async function stranger() {
    const account = privateKeyToAccount(generatePrivateKey())
    await chains.fundEvm(account.address, 0n)
    return senderOf(account)
  }

  /** The call that settles an EVM payment, for whoever sends it. */
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

  /** Works on a payment up to a point where the process is as good as dead: its lease runs out, nothing is cleaned up. */
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
    store,
    ledger,
    facilitator,
    tools,
    accountOf,
    senderOf,
    stranger,
    callOf,
    dieAt,
    /** A payment as a client of the protocol makes it, read by us. */
    async sign(wallet: TestWallet, amount = 5_000_000n): Promise<Payment> {
      const terms = await termsOf(chains.sandbox, wallet.family, { amount })
      return readPayment(toHeader(await payV2(chains.sandbox, wallet, terms)), rails())
    },
    credit: (payment: Payment) =>
      createTopUps({ store, chainOf, facilitator: async () => facilitator, waitsMs: [50, 100] }).credit(payment),
    stateOf: async ({ key }: Payment) => (await store.find(key))?.state,
    /** What a wallet can spend, in nano-dollars. */
    async creditOf(wallet: string): Promise<bigint> {
      const id = await accountOf(wallet)
      return id === '' ? 0n : (await ledger.balancesOf(id)).USD
    },
    /** What the background finds out about a payment now. */
    outcomeOf: async ({ key }: Payment): Promise<Outcome | undefined> =>
      (await reconcilePayments(tools, { isEarly: true })).find(({ row }) => row.key === key)?.outcome,
    /** Settles a payment past us; on Solana with the fee payer's help. */
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
