import type { RpcNetwork } from '@/lib/contract/rpc'

/** Meaning of a reply's values, as plain data: a worker finds it, the page shows it. */

/** Times are in seconds of Unix time. */
export type Interpretation = { kind: 'text'; text: MessageText; note?: MessageText } | { kind: 'time'; at: number }

export type Use = { kind: 'address' | 'hash' | 'block'; value: string }

export type DecodedNode =
  | {
      kind: 'value'
      raw: string
      chars: number
      interpretations: Interpretation[]
      use?: Use
      call?: DecodedCall
    }
  | {
      kind: 'record'
      title?: MessageText
      summary?: MessageText
      event?: DecodedCall
      fields: DecodedField[]
      hidden: number
    }
  | { kind: 'list'; path: string; items: DecodedNode[]; total: number; canShowMore: boolean }
  | { kind: 'table'; columns: MessageText[]; rows: MessageText[][]; total: number }
  | { kind: 'left-out'; why: 'deep' | 'many' }

export type DecodedField = { name: MessageText /** Of Solidity. */; type?: string; node: DecodedNode }

export type DecodedCall = {
  kind: 'function' | 'event' | 'error'
  name: string
  signature: string
  /** @example 'ERC-20' */
  standard: string
  fields: DecodedField[]
}

export type DecodedItem = {
  index: number
  id?: string
  method?: string
  outcome: 'result' | 'error' | 'neither'
  note?: MessageText
  error?: { code?: string; meaning?: MessageText; message?: string; revert?: DecodedNode }
  node?: DecodedNode
}

export type DecodedReply = { items: DecodedItem[]; total: number }

export const ITEMS_PATH = 'items'

export type DecodeContext = {
  network: RpcNetwork
  method: string | undefined
  params: unknown
  /** Wanted items of a list, by the list's path. */
  wanted: Readonly<Record<string, number>>
  /** Values that may still be shown. Counts down. */
  left: number
}

/** For one view: each value becomes a handful of elements of the page. */
export const MAX_VALUES = 1_500
const FIRST_ITEMS = 20
const MAX_ITEMS = 400
export const MAX_DEPTH = 10
const MAX_RAW_CHARS = 240

export function valueNode(
  context: DecodeContext,
  value: string | number | bigint | boolean | null,
  interpretations: Interpretation[] = [],
  use?: Use,
): DecodedNode {
  if (context.left <= 0) return { kind: 'left-out', why: 'many' }
  context.left -= 1
  const text = String(value)
  const raw = text.length > MAX_RAW_CHARS ? text.slice(0, MAX_RAW_CHARS) : text
  return { kind: 'value', raw, chars: text.length, interpretations, ...(use && { use }) }
}

export function listNode<T>(
  context: DecodeContext,
  path: string,
  values: readonly T[],
  nodeOf: (value: T, index: number) => DecodedNode,
): DecodedNode {
  const count = Math.min(values.length, context.wanted[path] ?? FIRST_ITEMS, MAX_ITEMS)
  const items: DecodedNode[] = []
  for (let index = 0; index < count && context.left > 0; index++) items.push(nodeOf(values[index]!, index))
  const canShowMore = items.length < Math.min(values.length, MAX_ITEMS) && context.left > 0
  return { kind: 'list', path, items, total: values.length, canShowMore }
}

/**
 * A message as data: a worker knows no language, the page words it. `text` is an English sentence and a key of the
 * catalogues.
 */
export type MessageDescriptor =
  | { text: string; values?: Record<string, string | number> }
  | { counted: Counted; count: number }

export type Counted = 'bytes' | 'contract-bytes' | 'entries' | 'transactions'

export type MessageText = string | MessageDescriptor

/** Describes a message. As in lib/i18n, translators find sentences by the name of this function. */
export const msg = (text: string, values?: Record<string, string | number>): MessageDescriptor => ({
  text,
  ...(values && { values }),
})
