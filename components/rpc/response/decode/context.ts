import type { DecodedNode, Reading, Use } from '@/components/rpc/response/decode/decoded'
import type { Json } from '@/components/rpc/response/decode/json-value'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'

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
  value: Exclude<Json, object | symbol>,
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
