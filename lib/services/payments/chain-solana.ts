import 'server-only'
import {
  type Address,
  address,
  createSolanaRpc,
  getBase58Encoder,
  isSignature,
  isSolanaError,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION,
} from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { CHAIN_REFERENCE } from '@/lib/contract/chains'
import { log } from '@/lib/kernel/log'
import type { Rail } from '@/lib/services/chains/rails'
import { identifier } from '@/lib/services/payments/chain-evm'
import {
  decodeTransaction,
  hashOf,
  instructionsOf,
  receiverAccount,
  solanaKey,
} from '@/lib/services/payments/payment-solana'
import type { ChainNode, Finding, Scanned, Wanted } from '@/lib/services/payments/payment-types'

const CALL_TIMEOUT_MS = 5_000
/** A blockhash is good for 150 blocks; twice that covers nodes that lag behind each other. */
const BLOCKHASH_BLOCKS = 150n
const LAG_BLOCKS = 150n
const LAG_SLOTS = 100n
const PAGE = 1_000
const SEARCH_PAGES = 20
const SCAN_PAGES = 1_000
const MAX_FETCHED = 500

type Entry = { signature: Signature; slot: bigint; err: unknown; blockTime: bigint | null }
type Landed = { signature: string; slot: bigint; isFailed: boolean; transfers: SolanaTransfer[] }
type Cursor = { slot: bigint; signature?: string }

/** Reads Solana with @solana/kit. `confirmed` counts as paid, `finalized` as final. */
export function solanaNode(url: string, rail: Rail): ChainNode {
  const rpc = createSolanaRpc(url)
  const send = <T>(request: { send: (options: { abortSignal: AbortSignal }) => Promise<T> }): Promise<T> =>
    request.send({ abortSignal: AbortSignal.timeout(CALL_TIMEOUT_MS) })
  const identify = identifier(async () => networkOf(await send(rpc.getGenesisHash())), rail.network)
  const account = receiverAccount(rail)

  async function look(wanted: Wanted): Promise<Finding> {
    await identify()
    const [head, finalSlot, finalHeight] = await Promise.all([
      send(rpc.getSlot({ commitment: 'confirmed' })),
      send(rpc.getSlot({ commitment: 'finalized' })),
      send(rpc.getBlockHeight({ commitment: 'finalized' })),
    ])
    const { transaction } = wanted
    const hinted = transaction !== undefined && mayBeLanded(transaction) ? await fetchLanded(transaction) : undefined
    const found = (hinted && findingOf(hinted, wanted, finalSlot, head)) ?? (await search(wanted, finalSlot, head))
    if (found) return found
    const isOver = wanted.deadAfter !== undefined && finalHeight > wanted.deadAfter
    return isOver ? { status: 'dead', reason: 'expired', head } : { status: 'unpaid', head }
  }

  /**
   * Searches the history of the payer's own token account, newest first: far less than ours.
   * @throws Error when there is more than is read: then nothing is known.
   */
  async function search(wanted: Wanted, finalSlot: bigint, head: bigint): Promise<Finding | undefined> {
    if (wanted.sourceAccount === undefined) return undefined
    let fetched = 0
    const options = { maxPages: SEARCH_PAGES, minContextSlot: head > LAG_SLOTS ? head - LAG_SLOTS : 0n }
    for await (const entry of historyOf(address(wanted.sourceAccount), options)) {
      if (entry.blockTime !== null && entry.blockTime < wanted.notBefore) return undefined
      if (++fetched > MAX_FETCHED) throw new Error('the account has more history than is read')
      const landed = await fetchLanded(entry.signature)
      const found = landed && findingOf(landed, wanted, finalSlot, head)
      if (found) return found
    }
    return undefined
  }

  function findingOf(landed: Landed, wanted: Wanted, finalSlot: bigint, head: bigint): Finding | undefined {
    const transfer = landed.transfers.find(({ key }) => key === wanted.key)
    if (!transfer) return undefined
    const isFinal = landed.slot <= finalSlot
    // What failed for good can never be sent again: its message was used up.
    if (landed.isFailed) return isFinal ? { status: 'dead', reason: 'failed_on_chain', head } : undefined
    const { signature: transaction, slot: block } = landed
    return { status: 'paid', transaction, block, amount: transfer.amount, isSafe: isFinal, isFinal }
  }

  async function scan(cursor: string | undefined): Promise<Scanned> {
    await identify()
    if (cursor === undefined) {
      const { value: newest } = await historyOf(await account, { maxPages: 1, commitment: 'finalized' }).next()
      return { transfers: [], cursor: newest ? toCursor(newest) : toCursor({ slot: 0n }), isDone: true }
    }
    const { oldest, newest, isAll } = await historySince(fromCursor(cursor))
    const transfers: Scanned['transfers'] = []
    for (const { signature } of oldest) {
      const landed = await fetchLanded(signature)
      if (!landed) throw new Error(`the node does not know the transaction ${signature} that it told of`)
      if (landed.isFailed) continue
      transfers.push(
        ...landed.transfers.map((one) => ({ ...one, transaction: signature, block: landed.slot, isFinal: true })),
      )
    }
    const last = isAll ? newest : oldest.at(-1)
    return { transfers, cursor: last ? toCursor(last) : cursor, isDone: isAll }
  }

  async function historySince({ slot, signature }: Cursor) {
    const oldest: Entry[] = []
    let newest: Entry | undefined
    let isAll = true
    for await (const entry of historyOf(await account, { until: signature, commitment: 'finalized' })) {
      if (entry.slot < slot || entry.signature === signature) break
      newest ??= entry
      if (entry.err !== null) continue
      oldest.unshift(entry)
      if (oldest.length > MAX_FETCHED) {
        oldest.pop()
        isAll = false
      }
    }
    return { oldest, newest, isAll }
  }

  type HistoryOptions = {
    until?: string
    commitment?: 'confirmed' | 'finalized'
    maxPages?: number
    minContextSlot?: bigint
  }

  async function* historyOf(of: Address, options: HistoryOptions): AsyncGenerator<Entry, undefined> {
    const { until, commitment = 'confirmed', maxPages = SCAN_PAGES, minContextSlot } = options
    let before: Signature | undefined
    for (let page = 0; page < maxPages; page++) {
      const entries: readonly Entry[] = await send(
        rpc.getSignaturesForAddress(of, {
          limit: PAGE,
          commitment,
          ...(before && { before }),
          ...(until && { until: until as Signature }),
          ...(minContextSlot !== undefined && { minContextSlot }),
        }),
      )
      yield* entries
      before = entries.at(-1)?.signature
      if (entries.length < PAGE) return
    }
    throw new Error('the account has more history than is read')
  }

  /** An unreadable transaction, such as one of a version to come, counts as missing and is logged. */
  async function fetchLanded(signature: string): Promise<Landed | undefined> {
    try {
      return await read(signature as Signature)
    } catch (error) {
      if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_UNSUPPORTED_TRANSACTION_VERSION)) throw error
      log().error({ network: rail.network, transaction: signature }, 'a transaction has an unsupported version')
      return { signature, slot: 0n, isFailed: false, transfers: [] }
    }
  }

  async function read(signature: Signature): Promise<Landed | undefined> {
    const found = await send(
      rpc.getTransaction(signature, { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 }),
    )
    if (!found?.meta) return undefined
    const { meta, slot, transaction } = found
    const { loadedAddresses: loaded } = meta as { loadedAddresses?: { writable: string[]; readonly: string[] } }
    const transfers = transfersTo(
      await account,
      {
        wire: transaction[0],
        loaded: [...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])],
        inner: (meta.innerInstructions ?? []).flatMap(({ instructions }) => instructions as LandedTransaction['inner']),
        owners: new Map((meta.preTokenBalances ?? []).map(({ accountIndex, owner }) => [accountIndex, owner ?? ''])),
      },
      rail,
    )
    return { signature, slot, isFailed: meta.err !== null, transfers }
  }

  return {
    look,
    scan,
    acceptsSignature: async () => false,
    async deadAfter() {
      await identify()
      return (await send(rpc.getBlockHeight({ commitment: 'processed' }))) + BLOCKHASH_BLOCKS + LAG_BLOCKS
    },
  }
}

const networkOf = (genesisHash: string): string => `solana:${genesisHash.slice(0, CHAIN_REFERENCE.solana.length)}`

const mayBeLanded = (text: string): boolean => /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text) && isSignature(text)

const toCursor = ({ slot, signature = '' }: Cursor): string => `${slot}:${signature}`

function fromCursor(text: string): Cursor {
  const [slot = '0', signature] = text.split(':')
  return { slot: BigInt(slot), signature: signature || undefined }
}

type LandedTransaction = {
  wire: string
  loaded: readonly string[]
  inner: readonly { programIdIndex: number; accounts: readonly number[]; data: string }[]
  owners: Map<number, string>
}

type SolanaTransfer = { key: string; payer: string; amount: bigint }

const TRANSFERS = new Map([
  [3, { source: 0, destination: 1, authority: 2 }],
  [12, { source: 0, destination: 2, authority: 3 }],
])

/**
 * Finds the transfers to our token account in one transaction that did not fail, by other programs' calls too. A signed
 * payment is alone in its transaction and has the message's hash as its key; where several wallets paid in one, each
 * but the first is told by its address too.
 */
function transfersTo(account: string, landed: LandedTransaction, rail: Rail): SolanaTransfer[] {
  const { transaction, message } = decodeTransaction(landed.wire)
  const keys = [...(message.staticAccounts as readonly string[]), ...landed.loaded]
  const signers = new Set(keys.slice(0, message.header.numSignerAccounts))
  const base58 = getBase58Encoder()
  const called = landed.inner.map(({ programIdIndex, accounts, data }) => ({
    program: keys[programIdIndex] ?? '',
    accounts: accounts.map((index) => keys[index] ?? ''),
    data: Buffer.from(base58.encode(data)),
  }))
  const amounts = new Map<string, bigint>()
  for (const { program, accounts, data } of [...instructionsOf(message, landed.loaded), ...called]) {
    const places = TRANSFERS.get(data[0] ?? -1)
    if (program !== TOKEN_PROGRAM_ADDRESS || !places || data.length < 9) continue
    const source = accounts[places.source] ?? ''
    if (accounts[places.destination] !== account || source === account) continue
    // Who signed for the transfer pays; a program's transfer is told by who holds the account that it came from.
    const authority = accounts[places.authority] ?? ''
    const payer = signers.has(authority) ? authority : (landed.owners.get(keys.indexOf(source)) ?? authority)
    amounts.set(payer, (amounts.get(payer) ?? 0n) + data.readBigUInt64LE(1))
  }
  const key = solanaKey(rail, hashOf(transaction))
  return [...amounts]
    .filter(([payer, amount]) => amount > 0n && payer !== '' && payer !== rail.payTo)
    .map(([payer, amount], index) => ({ key: index === 0 ? key : `${key}:${payer}`, payer, amount }))
}
