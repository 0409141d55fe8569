import type { RpcAnswer } from '@/components/rpc/client'
import type { Reply } from '@/components/rpc/response/decode/reply'
import { plural, t } from '@/lib/i18n/t'

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
  if (reply === 'unread') return { kind: 'odd', label: t('Not inspected') }
  if (reply.fault) return { kind: 'odd', label: t('Not JSON') }
  const errors = reply.items.filter(({ outcome }) => outcome === 'error').length
  const results = reply.items.filter(({ outcome }) => outcome === 'result').length
  if (reply.isBatch) return batchOutcome(reply, results, errors)
  const [item] = reply.items
  if (item?.outcome === 'result') return { kind: 'result', label: t('Result') }
  if (item?.outcome !== 'error') return { kind: 'odd', label: t('Not JSON-RPC') }
  const { errorCode, errorMessage } = item
  return {
    kind: 'rpc-error',
    label: errorCode === undefined ? t('RPC error') : t('RPC error {code}', { code: errorCode.replace('-', '−') }),
    ...(errorMessage !== undefined && { detail: errorMessage }),
  }
}

function batchOutcome({ items, total }: Reply, results: number, errors: number): Outcome {
  const isWhole = total === items.length
  if (results + errors === 0) return { kind: 'odd', label: t('Not JSON-RPC') }
  if (isWhole && results === total) return { kind: 'result', label: resultCount(results) }
  if (isWhole && errors === total) {
    return { kind: 'rpc-error', label: plural(errors, { one: '{count} RPC error', other: '{count} RPC errors' }) }
  }
  const others = items.length - results - errors
  const parts = [
    resultCount(results),
    plural(errors, { one: '{count} error', other: '{count} errors' }),
    ...(others > 0 ? [plural(others, { one: '{count} invalid', other: '{count} invalid' })] : []),
  ].join(', ')
  return { kind: 'mixed', label: isWhole ? parts : t('{parts} in the first {count}', { parts, count: items.length }) }
}

const resultCount = (count: number): string => plural(count, { one: '{count} result', other: '{count} results' })
