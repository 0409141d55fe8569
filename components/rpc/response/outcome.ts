import type { Reply } from '@/lib/client/decode/reply'
import type { RpcAnswer } from '@/lib/client/rpc'

/** How an answer ended, which the HTTP status alone does not say. */
export type Outcome =
  /** The service, or HTTP on the way, said no. */
  | { kind: 'http-error'; label: string }
  /** The node was reached and said no: HTTP 200, and paid for. */
  | { kind: 'rpc-error'; label: string; detail?: string }
  | { kind: 'result'; label: string }
  /** A batch of both. */
  | { kind: 'mixed'; label: string }
  /** HTTP 200 with something that is no reply. */
  | { kind: 'odd'; label: string }

/** @param reply what is in the answer, once that is known; `unread` when it never will be. */
export function outcomeOf(answer: Pick<RpcAnswer, 'status'>, reply: Reply | 'unread' | undefined): Outcome | undefined {
  if (answer.status < 200 || answer.status > 299) return { kind: 'http-error', label: `HTTP ${answer.status}` }
  if (!reply) return undefined
  if (reply === 'unread') return { kind: 'odd', label: 'Not looked into' }
  if (reply.fault) return { kind: 'odd', label: 'Not JSON' }
  const errors = reply.items.filter(({ outcome }) => outcome === 'error').length
  const results = reply.items.filter(({ outcome }) => outcome === 'result').length
  if (reply.isBatch) return batchOutcome(reply, results, errors)
  const [item] = reply.items
  if (item?.outcome === 'result') return { kind: 'result', label: 'Result' }
  if (item?.outcome !== 'error') return { kind: 'odd', label: 'Not JSON-RPC' }
  const { errorCode, errorMessage } = item
  return {
    kind: 'rpc-error',
    label: errorCode === undefined ? 'RPC error' : `RPC error ${errorCode.replace('-', '−')}`,
    ...(errorMessage !== undefined && { detail: errorMessage }),
  }
}

function batchOutcome({ items, total }: Reply, results: number, errors: number): Outcome {
  const isWhole = total === items.length
  if (results + errors === 0) return { kind: 'odd', label: 'Not JSON-RPC' }
  if (isWhole && results === total) return { kind: 'result', label: counted(results, 'result') }
  if (isWhole && errors === total) {
    return { kind: 'rpc-error', label: counted(errors, 'RPC error') }
  }
  const others = items.length - results - errors
  const parts = [counted(results, 'result'), counted(errors, 'error'), ...(others > 0 ? [`${others} neither`] : [])]
  return { kind: 'mixed', label: `${parts.join(', ')}${isWhole ? '' : ` in the first ${items.length}`}` }
}

const counted = (count: number, noun: string) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
