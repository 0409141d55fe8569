import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { log } from '@/lib/kernel/log'
import type { RpcNode } from '@/lib/services/rpc-nodes/node'
import { type Answer, type Failure, isPassedOn, type Outcome } from '@/lib/services/rpc-nodes/node-outcome'
import { scrub } from '@/lib/services/rpc-nodes/node-secrets'

const MAX_MESSAGE_CHARACTERS = 512
/** JSON-RPC's own for a request that is none. */
const INVALID_REQUEST = -32600
/** One line a node in so long: an outage has thousands of failures, all alike. */
const LOG_EVERY_MS = 10_000

export type Refused = { kind: 'refused'; status: number; body: string }

/** What a caller gets of a refusal: the node's code and words, without its address, or ours where it had none. */
export function refusalOf(node: RpcNode, { status, said }: { status: number; said?: Answer }): Refused {
  const errors = said?.scanned.items.filter(({ outcome }) => outcome === 'error') ?? []
  if (said === undefined || errors.length === 0) return refusedWith(status, `refused this request with HTTP ${status}`)
  const items = errors.map(({ id = 'null', errorCode: code = INVALID_REQUEST, errorMessage = 'refused' }) => {
    const message = scrub(errorMessage, node.secrets).slice(0, MAX_MESSAGE_CHARACTERS)
    return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`
  })
  return { kind: 'refused', status, body: said.scanned.isBatch ? `[${items.join(',')}]` : items[0]! }
}

/**
 * What a caller gets when no node answered: the last node's status where it says when to come back.
 *
 * @param advice what to do, for what must not simply be sent again.
 * @throws ApiError RPC_UPSTREAM_FAILED, or SERVICE_UNAVAILABLE when it was us who had no room.
 */
export function failWith({ slug }: RpcNetwork, last: Failure | undefined, advice = 'Try again in a moment.'): Refused {
  if (last?.fault === 'too-much-at-once') {
    const message = 'Too many large replies are under way. Ask for less, or try again in a moment.'
    throw new ApiError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 1 })
  }
  if (last?.fault === 'status' && isPassedOn(last.status)) {
    const words = last.status === 429 ? 'takes no more requests at the moment' : 'failed'
    return refusedWith(last.status, `${words} (HTTP ${last.status}). ${advice}`)
  }
  const message =
    last?.fault === 'too-large'
      ? `The reply of ${slug} is larger than 32 MB. Ask for less at a time.`
      : `No node of ${slug} answered. ${advice}`
  // Only words of ours: a node's own may have its address in them.
  throw new ApiError('RPC_UPSTREAM_FAILED', message, { cause: last && `${last.fault} ${last.status ?? ''}`.trim() })
}

function refusedWith(status: number, words: string): Refused {
  const error = `The node of this network ${words}${words.endsWith('.') ? '' : '.'}`
  return { kind: 'refused', status, body: JSON.stringify({ error, code: 'RPC_UPSTREAM_FAILED' }) }
}

/** Says that a node did not answer, by its place in the list: its address may have a key in it. */
export function logFailure(node: RpcNode, outcome: Exclude<Outcome, { kind: 'answered' }>): void {
  const now = performance.now()
  if (now - node.loggedAt < LOG_EVERY_MS) return
  node.loggedAt = now
  const { status } = outcome
  const fault = outcome.kind === 'failed' ? outcome.fault : 'refused'
  log().warn({ network: node.network.slug, node: node.number, fault, status }, 'a node did not answer')
}
