import 'server-only'
import { hashOf } from '@/lib/services/rpc-nodes/broadcast-hash'
import type { RpcCall, RpcRequest } from '@/lib/services/rpc-nodes/calls'
import { eachElement } from '@/lib/services/rpc-nodes/json/json-text'
import type { ScannedItem } from '@/lib/services/rpc-nodes/json/reply-item'
import type { RpcNode } from '@/lib/services/rpc-nodes/node'
import { scan } from '@/lib/services/rpc-nodes/node-answer'
import { askNode } from '@/lib/services/rpc-nodes/node-ask'
import type { Answer } from '@/lib/services/rpc-nodes/node-outcome'

/** How nodes say that they have the transaction: geth and its kin, Besu, OpenEthereum, Nethermind, anvil. */
const KNOWN = /already\s?(known|imported|exists)|known transaction|already in (the )?(mem)?pool|same hash was already/i
/** It may be the very transaction that took the nonce. */
const NONCE = /nonce/i
const LOOK_TIMEOUT_MS = 3_000
const EMPTY_HASHES: ReadonlyMap<RpcCall, string> = new Map()

/**
 * Understands a reply to a broadcast that an earlier node may have taken in already: "I have it" is then no error but what
 * was wanted, and gets the reply that the first would have given.
 */
export async function understood(node: RpcNode, request: RpcRequest, answer: Answer): Promise<Answer> {
  const taken = await takenBefore(node, request, answer)
  if (taken.size === 0) return answer
  const text = Buffer.from(answer.body).toString('latin1')
  const parts: string[] = []
  let index = 0
  const take = (start: number, end: number) => {
    const call = callOf(request, answer.scanned.items, index++)
    const hash = call && taken.get(call)
    parts.push(hash ? replyOf(call, hash) : text.slice(start, end))
    return true
  }
  if (request.isBatch) eachElement(text, text.indexOf('['), take)
  else take(0, text.length)
  const body = Buffer.from(request.isBatch ? `[${parts.join(',')}]` : parts[0]!, 'latin1')
  return scan(body) ?? answer
}

/** Calls whose error says that the chain has their transaction, with its hash. */
async function takenBefore(
  node: RpcNode,
  request: RpcRequest,
  { scanned }: Answer,
): Promise<ReadonlyMap<RpcCall, string>> {
  if (!scanned.items.some(({ outcome }) => outcome === 'error')) return EMPTY_HASHES
  const taken = new Map<RpcCall, string>()
  // At once: a hundred looks, one after the other at a node that says nothing, would outlast the request.
  const looks = scanned.items.map(async ({ outcome, errorMessage = '' }, index) => {
    const isKnown = KNOWN.test(errorMessage)
    if (outcome !== 'error' || !(isKnown || NONCE.test(errorMessage))) return
    const call = callOf(request, scanned.items, index)
    const hash = call && hashOf(call)
    if (call && hash && (isKnown || (await isOnChain(node, hash)))) taken.set(call, hash)
  })
  await Promise.all(looks)
  return taken
}

/** The call that an item answers: by its id where that is one call's alone, else by its place. */
function callOf({ calls, isBatch }: RpcRequest, items: readonly ScannedItem[], index: number): RpcCall | undefined {
  if (!isBatch) return calls[0]
  const { id } = items[index]!
  const named = calls.filter((call) => call.id === id && id !== undefined)
  if (named.length === 1) return named[0]
  return items.length === calls.length ? calls[index] : undefined
}

async function isOnChain(node: RpcNode, hash: string): Promise<boolean> {
  const reply = await askNode(node, 'eth_getTransactionByHash', [hash], LOOK_TIMEOUT_MS)
  return 'result' in reply && typeof reply.result === 'object' && reply.result !== null
}

/** Ids are printed as bytes, one character each, as the rest of the reply is. */
const replyOf = ({ id = 'null' }: RpcCall, hash: string): string =>
  `{"jsonrpc":"2.0","id":${Buffer.from(id).toString('latin1')},"result":"${hash}"}`
