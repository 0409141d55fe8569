import 'server-only'
import {
  BaseError,
  createPublicClient,
  HttpRequestError,
  isAddressEqual,
  type Log,
  type PublicClient,
  parseAbi,
  parseEventLogs,
  ResponseBodyTooLargeError,
  RpcRequestError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  zeroAddress,
} from 'viem'
import { nodeTransport } from '@/lib/services/chains/node-transport'
import type { Rail } from '@/lib/services/chains/rails'
import { evmKey } from '@/lib/services/payments/payment-evm'
import type { ChainNode, Finding, Payment, Scanned, Wanted } from '@/lib/services/payments/payment-types'
import { typedData } from '@/lib/services/payments/read-payment'

const CALL_TIMEOUT_MS = 5_000
const LOG_RANGE_BLOCKS = 2_000n
const RECEIPTS = 10
const MAX_RANGES = 50
const RANGES_A_SCAN = 10
const CLOCK_MARGIN_SECONDS = 30n
const IDENTIFY_EVERY_MS = 300_000

type Address = `0x${string}`
type Head = { number: bigint; timestamp: bigint }
type Heads = { latest: Head; safe: bigint; final: Head }

export function evmNode(url: string, rail: Rail): ChainNode {
  const client: PublicClient = createPublicClient({
    transport: nodeTransport(url, { timeoutMs: CALL_TIMEOUT_MS, retryCount: 1 }),
    // A payer's contract must not make us fetch an address of its choice (EIP-3668).
    ccipRead: false,
  })
  const asset = rail.asset as Address
  const identify = identifier(async () => `eip155:${await client.getChainId()}`, rail.network)

  async function heads(): Promise<Heads> {
    const [latest, safe, final] = await Promise.all([
      client.getBlock({ blockTag: 'latest' }),
      client.getBlock({ blockTag: 'safe' }),
      client.getBlock({ blockTag: 'finalized' }),
    ])
    return { latest, safe: safe.number, final }
  }

  async function look(wanted: Wanted): Promise<Finding> {
    await identify()
    const authorizer = wanted.payer as Address
    const nonce = nonceOf(wanted.key)
    // Together, so that one machine answers: behind one address several may be, of which some are late.
    const [now, isUsed, receipt] = await Promise.all([
      heads(),
      nonce !== undefined && isUsedUp(authorizer, nonce),
      wanted.transaction === undefined ? undefined : receiptOf(wanted.transaction),
    ])
    const hinted = receipt && paidIn(receipt, wanted, now)
    if (hinted) return hinted
    const unpaid = { status: 'unpaid', head: now.latest.number } as const
    // A plain transfer is one transaction and no other.
    if (nonce === undefined) return unpaid
    const fate = isUsed ? await fateOf(authorizer, nonce, wanted) : undefined
    if (fate) return fate
    // Whatever happened before the time of the last final block has happened for good.
    const isOver = wanted.deadAfter !== undefined && now.final.timestamp >= wanted.deadAfter + CLOCK_MARGIN_SECONDS
    if (!isOver) return unpaid
    // It may have been used to pay us: whoever has the log knows.
    if (isUsed) throw new Error('the authorization was used, and the node has no log of it')
    return { status: 'dead', reason: 'expired', head: now.latest.number }
  }

  const isUsedUp = (authorizer: Address, nonce: Address): Promise<boolean> =>
    client.readContract({
      address: asset,
      abi: TOKEN_ABI,
      functionName: 'authorizationState',
      args: [authorizer, nonce],
    })

  async function fateOf(authorizer: Address, nonce: Address, wanted: Wanted): Promise<Finding | undefined> {
    // Newer than what was read before the authorization was seen to be used.
    const now = await heads()
    const args = { authorizer, nonce }
    let toBlock = now.latest.number
    for (let range = 0; range < MAX_RANGES; range++) {
      const start = toBlock >= LOG_RANGE_BLOCKS ? toBlock - LOG_RANGE_BLOCKS + 1n : 0n
      const [uses, cancellations, first] = await Promise.all([
        inParts(start, toBlock, (part) => client.getLogs({ address: asset, event: TOKEN_ABI[1], args, ...part })),
        inParts(start, toBlock, (part) => client.getLogs({ address: asset, event: TOKEN_ABI[2], args, ...part })),
        client.getBlock({ blockNumber: start }),
      ])
      if (cancellations.length > 0) return { status: 'dead', reason: 'canceled', head: now.latest.number }
      const [use] = uses
      if (use) {
        const receipt = await client.getTransactionReceipt({ hash: use.transactionHash })
        if (!hasUse(receipt, rail, nonce)) throw new Error('the node has a log that is not in its receipt')
        return paidIn(receipt, wanted, now) ?? { status: 'dead', reason: 'used_elsewhere', head: now.latest.number }
      }
      if (start === 0n || first.timestamp < wanted.notBefore) return undefined
      toBlock = start - 1n
    }
    throw new Error('the authorization was used longer ago than can be searched')
  }

  function paidIn(receipt: TransactionReceipt, wanted: Wanted, now: Heads): Finding | undefined {
    const transfer = transfersIn(receipt, rail).find(({ key }) => key === wanted.key)
    if (receipt.status !== 'success' || !transfer) return undefined
    return {
      status: 'paid',
      transaction: receipt.transactionHash,
      block: receipt.blockNumber,
      amount: transfer.amount,
      isSafe: receipt.blockNumber <= now.safe,
      isFinal: receipt.blockNumber <= now.final.number,
    }
  }

  async function receiptOf(text: string): Promise<TransactionReceipt | undefined> {
    // What a facilitator calls a transaction may be anything.
    if (!/^0x[0-9a-fA-F]{64}$/.test(text)) return undefined
    try {
      return await client.getTransactionReceipt({ hash: text as Address })
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return undefined
      throw error
    }
  }

  async function scan(cursor: string | undefined): Promise<Scanned> {
    await identify()
    const { safe, final } = await heads()
    if (cursor === undefined) return { transfers: [], cursor: String(safe), isDone: true }
    let read = BigInt(cursor)
    const transfers: Scanned['transfers'] = []
    for (let range = 0; range < RANGES_A_SCAN && read < safe; range++) {
      const end = read + LOG_RANGE_BLOCKS
      const toBlock = end < safe ? end : safe
      for (const receipt of await receiptsOf(await transactionsIn(read + 1n, toBlock))) {
        const { transactionHash: transaction, blockNumber: block } = receipt
        const isFinal = block <= final.number
        transfers.push(...transfersIn(receipt, rail).map((transfer) => ({ ...transfer, transaction, block, isFinal })))
      }
      read = toBlock
    }
    return { transfers, cursor: String(read), isDone: read >= safe }
  }

  async function transactionsIn(fromBlock: bigint, toBlock: bigint): Promise<Address[]> {
    const args = { to: rail.payTo as Address }
    const logs = await inParts(fromBlock, toBlock, async (part) => {
      // A machine that does not have the block yet has no logs either, and says so of the block only.
      const [found] = await Promise.all([
        client.getLogs({ address: asset, event: TOKEN_ABI[0], args, ...part }),
        client.getBlock({ blockNumber: part.toBlock }),
      ])
      return found
    })
    return [...new Set(logs.filter((log) => log.args.value !== 0n).map((log) => log.transactionHash))]
  }

  async function receiptsOf(hashes: Address[]): Promise<TransactionReceipt[]> {
    const receipts: TransactionReceipt[] = []
    for (let n = 0; n < hashes.length; n += RECEIPTS) {
      const some = hashes.slice(n, n + RECEIPTS)
      receipts.push(...(await Promise.all(some.map((hash) => client.getTransactionReceipt({ hash })))))
    }
    return receipts
  }

  async function acceptsSignature(payment: Payment): Promise<boolean> {
    if (payment.family !== 'evm') return false
    await identify()
    return client.verifyTypedData({
      address: payment.payer as Address,
      ...typedData(payment),
      signature: payment.payload.signature,
    })
  }

  return {
    look,
    scan,
    acceptsSignature,
    deadAfter: async (payment) => (payment.family === 'evm' ? payment.validBefore : 0n),
  }
}

/** Checks now and then that a node is of the configured chain: another chain's money is no money. */
export function identifier(ask: () => Promise<string>, network: string): () => Promise<void> {
  let knownUntil = 0
  return async () => {
    if (performance.now() < knownUntil) return
    const answer = await ask()
    if (answer !== network) throw new Error(`the node is of the chain ${answer}, not of ${network}`)
    knownUntil = performance.now() + IDENTIFY_EVERY_MS
  }
}

type BlockRange = { fromBlock: bigint; toBlock: bigint }

/**
 * Reads ranges of blocks in order. Nodes bound the blocks or the size of a reply, each in its own words: a range that
 * is refused is read in two halves, down to one block.
 */
async function inParts<T>(fromBlock: bigint, toBlock: bigint, read: (range: BlockRange) => Promise<T[]>): Promise<T[]> {
  try {
    return await read({ fromBlock, toBlock })
  } catch (error) {
    if (fromBlock >= toBlock || !mayBeTooMuch(error)) throw error
    const middle = (fromBlock + toBlock) / 2n
    return [...(await inParts(fromBlock, middle, read)), ...(await inParts(middle + 1n, toBlock, read))]
  }
}

function mayBeTooMuch(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const refusal = error.walk(
    (cause) =>
      cause instanceof RpcRequestError ||
      cause instanceof ResponseBodyTooLargeError ||
      (cause instanceof HttpRequestError && (cause.status === 400 || cause.status === 413)),
  )
  return refusal !== null
}

export const TOKEN_ABI = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
])

type EvmTransfer = { key: string; payer: string; amount: bigint }

const PREFIX_OF_DIRECT = 'tx'

/**
 * Finds the transfers to us in one transaction, each under the key of its payment. The token emits `AuthorizationUsed`
 * right before the transfer of that authorization, which tells several payments of one payer apart; a plain transfer
 * has its place in the transaction as its key.
 */
export function transfersIn(receipt: Pick<TransactionReceipt, 'logs' | 'transactionHash'>, rail: Rail): EvmTransfer[] {
  const events = tokenEvents(receipt, rail)
  return events.flatMap((event, position) => {
    if (event.eventName !== 'Transfer') return []
    const { from, to, value } = event.args
    const isOurs = isAddressEqual(to, rail.payTo as `0x${string}`)
    if (!isOurs || value === 0n || isAddressEqual(from, to) || isAddressEqual(from, zeroAddress)) return []
    const before = events[position - 1]
    const isAuthorized = before?.eventName === 'AuthorizationUsed' && isAddressEqual(before.args.authorizer, from)
    const payer = from.toLowerCase()
    const key = isAuthorized
      ? evmKey(rail, payer, before.args.nonce)
      : `${rail.network}:${rail.asset}:${PREFIX_OF_DIRECT}:${receipt.transactionHash}:${position}`.toLowerCase()
    return [{ key, payer, amount: value }]
  })
}

export const hasUse = (receipt: Pick<TransactionReceipt, 'logs'>, rail: Rail, nonce: `0x${string}`): boolean =>
  tokenEvents(receipt, rail).some((event) => event.eventName === 'AuthorizationUsed' && event.args.nonce === nonce)

function tokenEvents({ logs }: Pick<TransactionReceipt, 'logs'>, rail: Rail) {
  const own = logs.filter((log) => isAddressEqual(log.address, rail.asset as `0x${string}`))
  return parseEventLogs({ abi: TOKEN_ABI, logs: own as Log[] })
}

export function nonceOf(key: string): `0x${string}` | undefined {
  const [, , , from, nonce] = key.split(':')
  return from === PREFIX_OF_DIRECT ? undefined : (nonce as `0x${string}` | undefined)
}
