import 'server-only'
import { BROADCASTS } from '@/lib/contract/rpc-methods'
import { recordRateLimited } from '@/lib/kernel/circuit-breaker'
import { log } from '@/lib/kernel/log'
import { hashOf, hashOfResult } from '@/lib/services/rpc-nodes/broadcast-hash'
import { understood } from '@/lib/services/rpc-nodes/broadcast-known'
import type { RpcRequest } from '@/lib/services/rpc-nodes/calls'
import { failWith, logFailure, refusalOf } from '@/lib/services/rpc-nodes/forward-failure'
import { isRateLimit } from '@/lib/services/rpc-nodes/forward-limits'
import type { ForwardOptions, NodeReply } from '@/lib/services/rpc-nodes/forward-question'
import { questionOf } from '@/lib/services/rpc-nodes/forward-question'
import { DEADLINE_MS } from '@/lib/services/rpc-nodes/hedged-read'
import type { RpcNode } from '@/lib/services/rpc-nodes/node'
import { takeAnswer } from '@/lib/services/rpc-nodes/node-answer'
import { callNode } from '@/lib/services/rpc-nodes/node-ask'
import { checkChain, isOnChain } from '@/lib/services/rpc-nodes/node-chain'
import { bitOf, pickNode } from '@/lib/services/rpc-nodes/node-order'
import type { Answer, Failure, Outcome } from '@/lib/services/rpc-nodes/node-outcome'
import type { Question } from '@/lib/services/rpc-nodes/node-question'
import type { NodeSet } from '@/lib/services/rpc-nodes/nodes'

/** Of one node, after which it is not known whether it took the transaction. */
const ATTEMPT_MS = 10_000
/** Of a node's reply that is looked at for a hash. */
const MAX_HASH_BYTES = 1_024

/**
 * Sends what changes a chain: to one node, and to the next only when that one failed or its outcome is not known, never
 * twice to the same. A transaction is known by its hash, so that a chain takes it once however many nodes are told.
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
  let mayBeTaken = false
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
      mayBeTaken ||= !isNotTaken(outcome)
    } else if (outcome.kind === 'refused') {
      const refused = { ...refusalOf(node, outcome), retries }
      if (outcome.said) return refused
      fallback ??= refused
    } else {
      const answer = retries > 0 ? await understood(node, request, outcome) : outcome
      const answered = { kind: 'answered', body: answer.body, scanned: answer.scanned, retries } as const
      if (!isTurnedAway(answer)) return answered
      recordRateLimited(node.circuit, performance.now())
      fallback = answered
    }
  }
  if (fallback && !mayBeTaken) return fallback
  return { ...failWith(set.network, last, mayBeTaken ? adviceFor(request) : undefined), retries }
}

/** The node never had it, or said that it does not want it. */
const isNotTaken = ({ fault, status = 0 }: Failure): boolean =>
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

/** We ask this node too often: it did not look at the transaction. */
const isTurnedAway = ({ scanned }: Answer): boolean =>
  scanned.items.length > 0 &&
  scanned.items.every(({ outcome, errorMessage }) => outcome === 'error' && isRateLimit(errorMessage))

/** Nobody should sign a second one because the first may be lost. */
function adviceFor({ calls }: RpcRequest): string {
  const hashes = calls.flatMap((call) => hashOf(call) ?? [])
  const what = hashes.length === 1 ? `transaction ${hashes[0]}` : 'what was sent'
  return `A node may have taken it: look for ${what} before you sign another. Sending the same one again is safe.`
}

/** One line for each, with its hash and never what was signed. */
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
