import 'server-only'
import { type Hex, keccak256 } from 'viem'
import { BROADCASTS } from '@/lib/contract/rpc-methods'
import { recordRateLimited } from '@/lib/kernel/circuit-breaker'
import { log } from '@/lib/kernel/log'
import { callNode } from '@/lib/services/rpc-nodes/call-node'
import { eachElement, type Question, questionOf, type RpcCall, type RpcRequest } from '@/lib/services/rpc-nodes/calls'
import { askNode, checkChain, takeAnswer } from '@/lib/services/rpc-nodes/health'
import {
  DEADLINE_MS,
  type Failure,
  type ForwardOptions,
  failWith,
  isRateLimit,
  logFailure,
  type NodeReply,
  nodeRefusal,
  type Outcome,
} from '@/lib/services/rpc-nodes/node-outcome'
import { bitOf, isOnChain, type NodeSet, pickNode, type RpcNode } from '@/lib/services/rpc-nodes/nodes'
import type { ScannedItem } from '@/lib/services/rpc-nodes/reply'
import { type Answer, scan } from '@/lib/services/rpc-nodes/reply'

/** After this it is not known whether a node took the transaction. */
const ATTEMPT_MS = 10_000
const MAX_HASH_BYTES = 1_024

/**
 * Sends a broadcast to one node, and to the next only when that one failed or its outcome is not known, never twice to
 * the same. A chain takes a transaction once, by its hash, however many nodes are told.
 */
export async function broadcast(set: NodeSet, request: RpcRequest, options: ForwardOptions): Promise<NodeReply> {
  let reply: NodeReply | undefined
  try {
    reply = await send(set, request, options.signal)
    return reply
  } finally {
    logBroadcasts(set, request, reply, options)
  }
}

async function send(set: NodeSet, request: RpcRequest, signal: AbortSignal): Promise<NodeReply> {
  const question = questionOf(request)
  const dueAt = performance.now() + DEADLINE_MS
  let tried = 0
  let retries = -1
  let last: Failure | undefined
  let fallback: NodeReply | undefined
  let mayBeAccepted = false
  for (;;) {
    const now = performance.now()
    const node = now < dueAt ? pickNode(set.nodes, tried, now) : undefined
    if (node === undefined) break
    tried |= bitOf(node)
    retries++
    const outcome = await attempt(set, node, request, question, { dueAt: Math.min(now + ATTEMPT_MS, dueAt), signal })
    if (outcome.kind !== 'answered') logFailure(node, outcome)
    if (outcome.kind === 'failed') {
      last = outcome
      mayBeAccepted ||= !isNotAccepted(outcome)
    } else if (outcome.kind === 'refused') {
      const refused = { ...nodeRefusal(node, outcome), retries }
      if (outcome.answer) return refused
      fallback ??= refused
    } else {
      const answer = retries > 0 ? await understood(node, request, outcome) : outcome
      const answered = { kind: 'answered', body: answer.body, scanned: answer.scanned, retries } as const
      if (!isTurnedAway(answer)) return answered
      recordRateLimited(node.circuit, performance.now())
      fallback = answered
    }
  }
  if (fallback && !mayBeAccepted) return fallback
  return { ...failWith(set.network, last, mayBeAccepted ? adviceFor(request) : undefined), retries }
}

const isNotAccepted = ({ fault, status = 0 }: Failure): boolean =>
  fault === 'unreachable' ||
  fault === 'wrong-chain' ||
  fault === 'unchecked' ||
  (fault === 'status' && status >= 300 && status < 500)

async function attempt(
  set: NodeSet,
  node: RpcNode,
  request: RpcRequest,
  question: Question,
  { dueAt, signal }: { dueAt: number; signal: AbortSignal },
): Promise<Outcome> {
  if (!isOnChain(node, performance.now()) && !(await checkChain(node))) {
    return { kind: 'failed', fault: node.chain.state === 'wrong' ? 'wrong-chain' : 'unchecked' }
  }
  signal.throwIfAborted()
  const outcome = await callNode(node, question, dueAt, signal)
  return outcome.kind === 'answered' ? takeAnswer(set, node, request, outcome) : outcome
}

const isTurnedAway = ({ scanned }: Answer): boolean =>
  scanned.items.length > 0 &&
  scanned.items.every(({ outcome, errorMessage }) => outcome === 'error' && isRateLimit(errorMessage))

function adviceFor({ calls }: RpcRequest): string {
  const hashes = calls.flatMap((call) => hashOf(call) ?? [])
  const what = hashes.length === 1 ? `transaction ${hashes[0]}` : 'what was sent'
  return `A node may have taken it: look for ${what} before you sign another. Sending the same one again is safe.`
}

/** Logs hashes, never what was signed. */
function logBroadcasts(
  { network }: NodeSet,
  request: RpcRequest,
  reply: NodeReply | undefined,
  { requestId, accountId }: ForwardOptions,
): void {
  for (const [index, call] of request.calls.entries()) {
    if (!BROADCASTS.has(call.method)) continue
    const answer = reply?.kind === 'answered' ? reply : undefined
    const items = answer?.scanned.items ?? []
    const byId = request.isBatch ? items.find(({ id }) => id !== undefined && id === call.id) : undefined
    const item = byId ?? (items.length === request.calls.length ? items[index] : undefined)
    log().info(
      {
        network: network.slug,
        method: call.method,
        hash: hashOf(call) ?? (answer && item?.result && hashOfResult(spanText(answer.body, item.result))),
        outcome: reply === undefined ? 'unknown' : (item?.outcome ?? reply.kind),
        retries: reply?.retries,
        requestId,
        accountId,
      },
      'broadcast',
    )
  }
}

const spanText = (body: Uint8Array, { start, end }: { start: number; end: number }): string =>
  Buffer.from(body.subarray(start, Math.min(end, start + MAX_HASH_BYTES))).toString('utf8')

/** Words by which nodes say that they have the transaction: geth and its kin, Besu, OpenEthereum, Nethermind, anvil. */
const KNOWN = /already\s?(known|imported|exists)|known transaction|already in (the )?(mem)?pool|same hash was already/i
const NONCE = /nonce/i
const LOOK_TIMEOUT_MS = 3_000
const EMPTY_HASHES: ReadonlyMap<RpcCall, string> = new Map()

/**
 * Turns "already known" into the reply that the first node would have given: that node may have taken the transaction
 * before it failed.
 */
async function understood(node: RpcNode, request: RpcRequest, answer: Answer): Promise<Answer> {
  const accepted = await acceptedBefore(node, request, answer)
  if (accepted.size === 0) return answer
  const text = Buffer.from(answer.body).toString('latin1')
  const parts: string[] = []
  let index = 0
  const take = (start: number, end: number) => {
    const call = callOf(request, answer.scanned.items, index++)
    const hash = call && accepted.get(call)
    parts.push(hash ? replyOf(call, hash) : text.slice(start, end))
    return true
  }
  if (request.isBatch) eachElement(text, text.indexOf('['), take)
  else take(0, text.length)
  const body = Buffer.from(request.isBatch ? `[${parts.join(',')}]` : parts[0]!, 'latin1')
  return scan(body) ?? answer
}

async function acceptedBefore(
  node: RpcNode,
  request: RpcRequest,
  { scanned }: Answer,
): Promise<ReadonlyMap<RpcCall, string>> {
  if (!scanned.items.some(({ outcome }) => outcome === 'error')) return EMPTY_HASHES
  const accepted = new Map<RpcCall, string>()
  // At once: a hundred looks, one after the other at a node that says nothing, would outlast the request.
  const looks = scanned.items.map(async ({ outcome, errorMessage = '' }, index) => {
    const isKnown = KNOWN.test(errorMessage)
    if (outcome !== 'error' || !(isKnown || NONCE.test(errorMessage))) return
    const call = callOf(request, scanned.items, index)
    const hash = call && hashOf(call)
    if (call && hash && (isKnown || (await hasTransaction(node, hash)))) accepted.set(call, hash)
  })
  await Promise.all(looks)
  return accepted
}

function callOf({ calls, isBatch }: RpcRequest, items: readonly ScannedItem[], index: number): RpcCall | undefined {
  if (!isBatch) return calls[0]
  const { id } = items[index]!
  const named = calls.filter((call) => call.id === id && id !== undefined)
  if (named.length === 1) return named[0]
  return items.length === calls.length ? calls[index] : undefined
}

async function hasTransaction(node: RpcNode, hash: string): Promise<boolean> {
  const reply = await askNode(node, 'eth_getTransactionByHash', [hash], LOOK_TIMEOUT_MS)
  return 'result' in reply && typeof reply.result === 'object' && reply.result !== null
}

const replyOf = ({ id = 'null' }: RpcCall, hash: string): string =>
  `{"jsonrpc":"2.0","id":${Buffer.from(id).toString('latin1')},"result":"${hash}"}`

const BLOB_TYPE = '0x03'
const ZKSYNC_TYPE = '0x71'
/** First bytes of RLP lists: a short one plus its length, a long one plus the length of its length. Source: RLP. */
const RLP_LIST = 0xc0
const RLP_LONG_LIST = 0xf7
const HEX_BYTES = /^0x(?:[0-9a-f]{2})+$/i
const HASH = /^0x[0-9a-f]{1,64}$/i

export function hashOf({ method, params }: RpcCall): Hex | undefined {
  if (method !== 'eth_sendRawTransaction' || params === undefined) return undefined
  const raw = firstOf(params)
  if (typeof raw !== 'string' || !HEX_BYTES.test(raw)) return undefined
  const bytes = raw.toLowerCase() as Hex
  if (bytes.startsWith(ZKSYNC_TYPE)) return undefined
  return keccak256(bytes.startsWith(BLOB_TYPE) ? withoutBlobs(bytes) : bytes)
}

export function hashOfResult(json: string): string | undefined {
  const value = parsed(json)
  const hash =
    typeof value === 'object' && value !== null && 'transaction_hash' in value ? value.transaction_hash : value
  return typeof hash === 'string' && HASH.test(hash) ? hash : undefined
}

const firstOf = (params: string): unknown => {
  const list = parsed(params)
  return Array.isArray(list) ? list[0] : undefined
}

/**
 * Cuts the transaction out of its network form without parsing the rest: a hostile one has half a million parts.
 * Malformed bytes stay as they are; the node refuses them.
 */
function withoutBlobs(bytes: Hex): Hex {
  const form = listAt(bytes, BLOB_TYPE.length)
  const transaction = form && listAt(bytes, form.start)
  if (!transaction || form.end !== bytes.length || transaction.end > form.end) return bytes
  return `${BLOB_TYPE}${bytes.slice(form.start, transaction.end)}`
}

function listAt(hex: string, at: number): { start: number; end: number } | undefined {
  const head = Number.parseInt(hex.slice(at, at + 2), 16)
  if (!(head >= RLP_LIST)) return undefined
  const start = at + 2 + 2 * Math.max(0, head - RLP_LONG_LIST)
  const bytes = head > RLP_LONG_LIST ? Number.parseInt(hex.slice(at + 2, start), 16) : head - RLP_LIST
  const end = start + 2 * bytes
  return end <= hex.length ? { start, end } : undefined
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
