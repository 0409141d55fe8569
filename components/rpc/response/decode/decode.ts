import { type DecodeContext, MAX_VALUES } from '@/components/rpc/response/decode/context'
import type { DecodedItem, DecodedReply } from '@/components/rpc/response/decode/decoded'
import { evmResult } from '@/components/rpc/response/decode/evm-results'
import { readJson } from '@/components/rpc/response/decode/json-value'
import { ITEMS_PATH } from '@/components/rpc/response/decode/paths'
import type { Reply, ReplyItem } from '@/components/rpc/response/decode/reply'
import { decodeError } from '@/components/rpc/response/decode/revert'
import { starknetResult } from '@/components/rpc/response/decode/starknet'
import { networkOf } from '@/lib/contract/rpc-networks'
import type { RpcSlug } from '@/lib/contract/rpc-slugs'

/** The question that a reply is read by. */
export type Asked = { network: RpcSlug; calls: readonly { method: string; params: unknown }[] }

export type DecodeOptions = {
  /** One item of a batch; left out, all of them. */
  item?: number
  /** How many items of a list are wanted, by the list's path. */
  wanted: Readonly<Record<string, number>>
}

const ITEMS_AT_ONCE = 10

/** Reads the results of a reply by the methods that they answer. Never throws for what a node may send. */
export function decodeReply(text: string, reply: Reply, asked: Asked, { item, wanted }: DecodeOptions): DecodedReply {
  const network = networkOf(asked.network)
  if (!network) return { items: [], total: 0 }
  const budget = { left: MAX_VALUES }
  const count = Math.min(reply.items.length, wanted[ITEMS_PATH] ?? ITEMS_AT_ONCE)
  const indexes = item === undefined ? Array.from({ length: count }, (_, index) => index) : [item]
  const items = indexes.flatMap((index) => {
    const found = reply.items[index]
    if (!found || budget.left <= 0) return []
    const call = found.callIndex === undefined ? undefined : asked.calls[found.callIndex]
    const context: DecodeContext = {
      network,
      method: call?.method,
      params: call?.params,
      wanted,
      left: budget.left,
    }
    const decoded = decodeItem(text, found, index, context)
    budget.left = context.left
    return [decoded]
  })
  return { items, total: item === undefined ? reply.total : 1 }
}

function decodeItem(text: string, item: ReplyItem, index: number, context: DecodeContext): DecodedItem {
  const path = String(index)
  const { start, end } = item.value ?? item
  const value = readJson(text, start, end)
  const head = {
    index,
    outcome: item.outcome,
    ...(item.id !== undefined && { id: item.id }),
    ...(context.method !== undefined && { method: context.method }),
  }
  if (item.outcome === 'error') return { ...head, error: decodeError(context, path, value) }
  const result =
    context.network.family === 'evm' ? evmResult(context, path, value) : starknetResult(context, path, value)
  return { ...head, ...result }
}
