import 'server-only'
import { learnChain, quantityOf, resultText } from '@/lib/services/rpc-nodes/call-node'
import { learnHeight } from '@/lib/services/rpc-nodes/health'
import type { Answer, Failure } from '@/lib/services/rpc-nodes/node-outcome'
import { hasSecret, scrub } from '@/lib/services/rpc-nodes/node-secrets'
import type { NodeSet, RpcNode } from '@/lib/services/rpc-nodes/nodes'
import type { RpcRequest } from '@/lib/services/rpc-nodes/parse-calls'
import { ReplyScanner, type ScannedReply } from '@/lib/services/rpc-nodes/reply'

const MAX_FACT_BYTES = 80

/**
 * Learns the node's chain and height from an answer, and takes the node's address out of its errors. Results are left
 * byte for byte.
 */
export function takeAnswer(
  set: NodeSet,
  node: RpcNode,
  request: RpcRequest,
  answer: Answer,
): ({ kind: 'answered' } & Answer) | Failure {
  if (!request.isBatch && !learn(set, node, request.calls[0]!.method, answer)) {
    return { kind: 'failed', fault: 'wrong-chain' }
  }
  if (!answer.scanned.items.some(({ outcome }) => outcome === 'error')) return { kind: 'answered', ...answer }
  const clean = withoutSecrets(answer, node.secrets)
  return clean ? { kind: 'answered', ...clean } : { kind: 'failed', fault: 'not-json-rpc' }
}

function learn(set: NodeSet, node: RpcNode, method: string, answer: Answer): boolean {
  switch (method) {
    case 'eth_chainId':
    case 'starknet_chainId':
      // What is too long to be one is none.
      return answer.scanned.items[0]?.outcome !== 'result' || learnChain(node, factOf(answer))
    case 'eth_blockNumber':
    case 'starknet_blockNumber': {
      const height = quantityOf(factOf(answer))
      if (height !== undefined) learnHeight(set, node, height, performance.now())
      return true
    }
    default:
      return true
  }
}

function factOf(answer: Answer): unknown {
  const text = resultText(answer, MAX_FACT_BYTES)
  try {
    return text && JSON.parse(text)
  } catch {
    // A result's own grammar is the node's business.
    return undefined
  }
}

function withoutSecrets(answer: Answer, secrets: readonly string[]): Answer | undefined {
  const { body, scanned } = answer
  const parts: Uint8Array[] = []
  let isClean = true
  let from = 0
  for (const end of [...resultsOf(scanned), { start: body.length, end: body.length }]) {
    const text = Buffer.from(body.buffer, body.byteOffset + from, end.start - from).toString('utf8')
    const isPartClean = !hasSecret(text, secrets)
    isClean &&= isPartClean
    parts.push(isPartClean ? body.subarray(from, end.start) : Buffer.from(scrub(text, secrets)))
    parts.push(body.subarray(end.start, end.end))
    from = end.end
  }
  if (isClean) return answer
  return scan(Buffer.concat(parts))
}

const resultsOf = ({ items }: ScannedReply) =>
  items.flatMap(({ outcome, result }) => (outcome === 'result' && result ? [result] : []))

export function scan(body: Buffer<ArrayBuffer>): Answer | undefined {
  const scanner = new ReplyScanner()
  scanner.push(body)
  const scanned = scanner.end()
  return scanned && { body, scanned }
}
