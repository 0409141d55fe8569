import 'server-only'
import { BROADCASTS } from '@/lib/contract/rpc-methods'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { broadcast } from '@/lib/services/rpc-nodes/broadcast'
import type { RpcRequest } from '@/lib/services/rpc-nodes/calls'
import type { ForwardOptions, NodeReply } from '@/lib/services/rpc-nodes/forward-question'
import { questionOf } from '@/lib/services/rpc-nodes/forward-question'
import { touch } from '@/lib/services/rpc-nodes/health-watch'
import { type Read, Reading } from '@/lib/services/rpc-nodes/hedged-read'
import { scan } from '@/lib/services/rpc-nodes/node-answer'
import { type NodeSet, nodesOf } from '@/lib/services/rpc-nodes/nodes'
import { type ScannedReply, withId } from '@/lib/services/rpc-nodes/reply'
import { cacheKey, keepResult, knownResult } from '@/lib/services/rpc-nodes/result-cache'
import { joins } from '@/lib/services/rpc-nodes/single-flight'

/** Longer parameters are compared with nobody's. */
const MAX_JOINED_CHARACTERS = 16_384

/**
 * Asks a network's nodes: reads of whichever answers, broadcasts of one after the other. A reply passes through byte by
 * byte, but for the id of one that was asked for by several.
 *
 * @throws ApiError RPC_NETWORK_NOT_CONFIGURED, RPC_UPSTREAM_FAILED; SERVICE_UNAVAILABLE when too many large replies are under way;
 * the signal's reason.
 */
export async function forward(network: RpcNetwork, request: RpcRequest, options: ForwardOptions): Promise<NodeReply> {
  const { signal } = options
  signal.throwIfAborted()
  const set = nodesOf(network)
  touch(set, performance.now())
  if (request.calls.some(({ method }) => BROADCASTS.has(method))) return broadcast(set, request, options)
  return request.isBatch ? readAlone(set, request, signal) : readOne(set, request, signal)
}

/** For this caller only. */
function readAlone(set: NodeSet, request: RpcRequest, signal: AbortSignal): Promise<Read> {
  const reading = new Reading(set, request, questionOf(request)).start()
  const leave = () => reading.cancel(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  return reading.promise.finally(() => signal.removeEventListener('abort', leave))
}

async function readOne(set: NodeSet, request: RpcRequest, signal: AbortSignal): Promise<NodeReply> {
  const call = request.calls[0]!
  const { method, params = '', id = 'null' } = call
  const kept = cacheKey(set, call)
  const known = kept === undefined ? undefined : knownResult(kept)
  if (known) return answerOf(known, id)
  if (params.length > MAX_JOINED_CHARACTERS) return readAlone(set, request, signal)
  const begin = () => {
    const reading = new Reading(set, request, questionOf(request)).start()
    if (kept !== undefined) {
      reading.promise.then(
        (read) => read.kind === 'answered' && keepResult(set, kept, call, read),
        () => {},
      )
    }
    return reading
  }
  const key = `${set.network.slug}\n${method}\n${params}`
  const { value, askedAs } = await joins<Read>('rpc-joins').join(key, id, signal, begin)
  return askedAs === id ? value : withOwnId(value, id)
}

/** The reply that another was asked for, under this id. */
function withOwnId(read: Read, id: string): Read {
  const said = read.kind === 'answered' ? read : scan(Buffer.from(read.body))
  const at = said?.scanned.items[0]?.idAt
  // A refusal in our own words has no id.
  if (said === undefined || at === undefined) return read
  const { body } = said
  const own = Buffer.concat([body.subarray(0, at.start), Buffer.from(id), body.subarray(at.end)])
  if (read.kind === 'refused') return { ...read, body: own.toString() }
  const answer = scan(own)
  return answer ? { kind: 'answered', ...answer, retries: read.retries } : read
}

function answerOf(result: Uint8Array, id: string): NodeReply {
  const body = withId(result, id)
  const start = body.length - 1 - result.byteLength
  const scanned: ScannedReply = {
    isBatch: false,
    items: [{ id, outcome: 'result', result: { start, end: body.length - 1 } }],
  }
  return { kind: 'answered', body, scanned, retries: 0 }
}
