import 'server-only'
import type { RpcNode } from '@/lib/services/rpc-nodes/node'
import { NodeCall } from '@/lib/services/rpc-nodes/node-call'
import type { Answer, Outcome } from '@/lib/services/rpc-nodes/node-outcome'
import type { Question } from '@/lib/services/rpc-nodes/node-question'

/** Of an answer to a question of our own. */
const MAX_OWN_REPLY_BYTES = 1024 * 1024

/** One question to one node, without a second try. */
export function callNode(node: RpcNode, question: Question, dueAt: number, signal?: AbortSignal): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      call.drop()
      reject(signal?.reason)
    }
    const onEnd = (_: NodeCall, outcome: Outcome) => {
      signal?.removeEventListener('abort', leave)
      resolve(outcome)
    }
    const call = new NodeCall(node, question, { dueAt, listener: { onLate: () => {}, onEnd } })
    signal?.addEventListener('abort', leave, { once: true })
    call.start()
  })
}

/** A question of our own. @returns its result, or the outcome that was none. */
export async function askNode(
  node: RpcNode,
  method: string,
  params: unknown[],
  timeoutMs: number,
): Promise<{ result: unknown } | { failure: Outcome }> {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  const question = { body, isBatch: false, ids: ['1'], isHeavy: false }
  const outcome = await callNode(node, question, performance.now() + timeoutMs)
  if (outcome.kind !== 'answered') return { failure: outcome }
  const text = resultText(outcome, MAX_OWN_REPLY_BYTES)
  if (text === undefined) return { failure: outcome }
  try {
    return { result: JSON.parse(text) }
  } catch {
    return { failure: { kind: 'failed', fault: 'not-json-rpc' } }
  }
}

/** The JSON text of a single reply's result; nothing for an error, and for one that is longer than `maxBytes`. */
export function resultText({ body, scanned }: Answer, maxBytes: number): string | undefined {
  const at = scanned.items[0]?.result
  if (scanned.isBatch || at === undefined || at.end - at.start > maxBytes) return undefined
  return Buffer.from(body.buffer, body.byteOffset + at.start, at.end - at.start).toString('utf8')
}

/** A hex quantity as a number; nothing for anything else, and for what no counter of blocks reaches. */
export function quantityOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,13}$/i.test(value)) return undefined
  return Number(value)
}
