import type { RpcNetwork } from '@/lib/contract/rpc-networks'

/** What a value of a reply means, as plain data: a worker finds it, the page shows it. */

/** One way to read a value. Times are in seconds of Unix time. */
export type Reading = { kind: 'text'; text: Words; note?: Words } | { kind: 'time'; at: number }

/** What a value can be used as in another call. */
export type Use = { kind: 'address' | 'hash' | 'block'; value: string }

export type DecodedNode =
  | {
      kind: 'value'
      /** As the node wrote it, cut where it is long. */
      raw: string
      /** How long it is in full. */
      chars: number
      readings: Reading[]
      use?: Use
      /** Bytes that are a call, a log or an error. */
      call?: DecodedCall
    }
  | { kind: 'record'; title?: Words; summary?: Words; event?: DecodedCall; fields: DecodedField[]; hidden: number }
  | { kind: 'list'; path: string; items: DecodedNode[]; total: number; canShowMore: boolean }
  | { kind: 'table'; columns: Words[]; rows: Words[][]; total: number }
  /** Too deep, or too much for one look. */
  | { kind: 'left-out'; why: 'deep' | 'many' }

export type DecodedField = { name: Words /** Of Solidity. */; type?: string; node: DecodedNode }

export type DecodedCall = {
  kind: 'function' | 'event' | 'error'
  name: string
  /** `transfer(address to, uint256 amount)` */
  signature: string
  /** Where it is from: `ERC-20`. */
  standard: string
  fields: DecodedField[]
}

/** One item of a reply. */
export type DecodedItem = {
  index: number
  id?: string
  method?: string
  outcome: 'result' | 'error' | 'neither'
  /** What the whole of it says, in a sentence. */
  note?: Words
  error?: { code?: string; meaning?: Words; message?: string; revert?: DecodedNode }
  node?: DecodedNode
}

export type DecodedReply = { items: DecodedItem[]; total: number }

/** The path of the list of a batch's items, for asking for more of them. */
export const ITEMS_PATH = 'items'

/** What decoding one item of a reply goes by. */
export type DecodeContext = {
  network: RpcNetwork
  method: string | undefined
  params: unknown
  /** How many items of a list are wanted, by the list's path. */
  wanted: Readonly<Record<string, number>>
  /** How many values may still be shown. Counts down. */
  left: number
}

/** All values of one look together: each becomes a handful of elements of the page. */
export const MAX_VALUES = 1_500
const FIRST_ITEMS = 20
const MAX_ITEMS = 400
/** Deeper than this a value is left to the other views. */
export const MAX_DEPTH = 10
const MAX_RAW_CHARS = 240

/** One value of the reply. Long ones are cut: the other views have them whole. */
export function valueNode(
  context: DecodeContext,
  value: string | number | bigint | boolean | null,
  readings: Reading[] = [],
  use?: Use,
): DecodedNode {
  if (context.left <= 0) return { kind: 'left-out', why: 'many' }
  context.left -= 1
  const text = String(value)
  const raw = text.length > MAX_RAW_CHARS ? text.slice(0, MAX_RAW_CHARS) : text
  return { kind: 'value', raw, chars: text.length, readings, ...(use && { use }) }
}

/** A list, as far as it is wanted. */
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
 * What is said to people of a reply, as plain data: a thread of its own knows no language, the page words it. `text` is
 * an English sentence that is filed by the name of `msg`; a number of things is said by what is counted.
 */
export type MessageDescriptor =
  | { text: string; values?: Record<string, string | number> }
  | { counted: Counted; count: number }

export type Counted = 'bytes' | 'contract-bytes' | 'entries' | 'transactions'

/** Text that is shown as it is, or something that is said in the language of the page. */
export type Words = string | MessageDescriptor

/** A sentence to be said. As in lib/i18n, translators find it by the name of this function. */
export const msg = (text: string, values?: Record<string, string | number>): MessageDescriptor => ({
  text,
  ...(values && { values }),
})
