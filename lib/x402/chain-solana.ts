import 'server-only'
import { type Address, address, createSolanaRpc, type Signature } from '@solana/kit'
import { CHAIN_REFERENCE } from '@/lib/core/chains'
import type { ChainNode, Finding, Scanned, Wanted } from '@/lib/x402/chain'
import { identifier } from '@/lib/x402/chain-evm'
import { receiverAccount } from '@/lib/x402/payment-solana'
import type { Rail } from '@/lib/x402/rails'
import { type LandedTransaction, transfersTo } from '@/lib/x402/transfers-solana'

/** Of one call to a node. */
const CALL_TIMEOUT_MS = 5_000
/** A blockhash is good for this many blocks; twice that covers nodes that lag behind each other. */
const BLOCKHASH_BLOCKS = 150n
const LAG_BLOCKS = 150n
/** What a node tells of an account's history at a time. */
const PAGE = 1_000
/** Pages that a search or a scan reads at most. */
const MAX_PAGES = 20
/** Transactions that one scan fetches before it notes how far it came. */
const MAX_FETCHED = 500

type Entry = { signature: Signature; slot: bigint; err: unknown; blockTime: bigint | null }
type Landed = LandedTransaction & { signature: string }

/** A node of Solana, read with @solana/kit. What is `confirmed` counts as paid, what is `finalized` as final. */
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
    const hinted = isSignature(wanted.transaction) ? await fetchLanded(wanted.transaction) : undefined
    const found =
      (hinted && (await findingOf(hinted, wanted, finalSlot, head))) ?? (await search(wanted, finalSlot, head))
    if (found) return found
    const isOver = wanted.deadAfter !== undefined && finalHeight > wanted.deadAfter
    return isOver ? { status: 'dead', reason: 'expired', head } : { status: 'unpaid', head }
  }

  /** Looks through what happened to the payer's own token account, newest first: far less than happens to ours. */
  async function search(wanted: Wanted, finalSlot: bigint, head: bigint): Promise<Finding | undefined> {
    if (wanted.sourceAccount === undefined) return undefined
    for await (const entry of historyOf(address(wanted.sourceAccount))) {
      if (entry.blockTime !== null && entry.blockTime < wanted.notBefore) return undefined
      const landed = await fetchLanded(entry.signature)
      const found = landed && (await findingOf(landed, wanted, finalSlot, head))
      if (found) return found
    }
    return undefined
  }

  async function findingOf(
    landed: Landed,
    wanted: Wanted,
    finalSlot: bigint,
    head: bigint,
  ): Promise<Finding | undefined> {
    const isFinal = landed.slot <= finalSlot
    if (landed.isFailed) {
      // What failed for good can never be sent again: its message was used up.
      const isIt = transfersTo(await account, { ...landed, isFailed: false }, rail).some(
        ({ key }) => key === wanted.key,
      )
      return isIt && isFinal ? { status: 'dead', reason: 'failed_on_chain', head } : undefined
    }
    const transfer = transfersTo(await account, landed, rail).find(({ key }) => key === wanted.key)
    if (!transfer) return undefined
    const { signature: transaction, slot: block } = landed
    return { status: 'paid', transaction, block, amount: transfer.amount, isSafe: isFinal, isFinal }
  }

  /** The cursor is the newest signature that was read. */
  async function scan(cursor: string | undefined): Promise<Scanned> {
    await identify()
    const entries: Entry[] = []
    for await (const entry of historyOf(await account, cursor, 'finalized')) {
      entries.push(entry)
      if (cursor === undefined) break
    }
    const newest = entries[0]?.signature ?? cursor ?? ''
    if (cursor === undefined) return { transfers: [], cursor: newest, isDone: true }
    // The oldest first, so that what was read when a scan stops is a beginning.
    const read = entries.reverse().slice(0, MAX_FETCHED)
    const transfers: Scanned['transfers'] = []
    for (const { signature, err } of read) {
      if (err !== null) continue
      const landed = await fetchLanded(signature)
      if (!landed) throw new Error(`the node does not know the transaction ${signature} that it told of`)
      const found = transfersTo(await account, landed, rail)
      transfers.push(...found.map((one) => ({ ...one, transaction: signature, block: landed.slot, isFinal: true })))
    }
    return { transfers, cursor: read.at(-1)?.signature ?? cursor, isDone: read.length === entries.length }
  }

  async function* historyOf(of: Address, until?: string, commitment: 'confirmed' | 'finalized' = 'confirmed') {
    let before: Signature | undefined
    for (let page = 0; page < MAX_PAGES; page++) {
      const entries: readonly Entry[] = await send(
        rpc.getSignaturesForAddress(of, {
          limit: PAGE,
          commitment,
          ...(before && { before }),
          ...(until && { until: until as Signature }),
        }),
      )
      yield* entries
      before = entries.at(-1)?.signature
      if (entries.length < PAGE) return
    }
  }

  async function fetchLanded(signature: string): Promise<Landed | undefined> {
    const found = await send(
      rpc.getTransaction(signature as Signature, {
        commitment: 'confirmed',
        encoding: 'base64',
        maxSupportedTransactionVersion: 0,
      }),
    )
    if (!found?.meta) return undefined
    const { meta, slot, transaction } = found
    const { loadedAddresses: loaded } = meta as { loadedAddresses?: { writable: string[]; readonly: string[] } }
    return {
      signature,
      slot,
      wire: transaction[0],
      isFailed: meta.err !== null,
      loaded: [...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])],
      inner: (meta.innerInstructions ?? []).flatMap(({ instructions }) => instructions as LandedTransaction['inner']),
      owners: new Map((meta.preTokenBalances ?? []).map(({ accountIndex, owner }) => [accountIndex, owner ?? ''])),
    }
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

/** CAIP-2: the first 32 characters of the genesis hash. */
const networkOf = (genesisHash: string): string => `solana:${genesisHash.slice(0, CHAIN_REFERENCE.solana.length)}`

/** What a facilitator calls a transaction may be anything. */
const isSignature = (text: string | undefined): text is string =>
  text !== undefined && /^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text)
