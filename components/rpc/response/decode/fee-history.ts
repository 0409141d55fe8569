import type { DecodedNode } from '@/components/rpc/response/decode/decoded'
import type { Json, JsonRecord } from '@/components/rpc/response/decode/json-value'
import { msg } from '@/components/rpc/response/decode/message-descriptor'
import { grouped, inUnits, quantityOf } from '@/components/rpc/response/decode/quantity'

const MAX_ROWS = 200
const MAX_REWARDS = 6
const GWEI_DECIMALS = 9

/** The reply of `eth_feeHistory`, a block a row; nothing where it has another shape. */
export function feeHistoryNode(history: JsonRecord): DecodedNode | undefined {
  const first = quantityOf(history.oldestBlock)
  const fees = list(history.baseFeePerGas)
  if (first === undefined || fees.length === 0) return undefined
  const used = list(history.gasUsedRatio)
  const blobFees = list(history.baseFeePerBlobGas)
  const hasBlobs = blobFees.some((fee) => (quantityOf(fee) ?? 0n) > 0n)
  const rewards = list(history.reward).map(list)
  const rewardCount = Math.min(MAX_REWARDS, Math.max(0, ...rewards.slice(0, MAX_ROWS).map(({ length }) => length)))
  const columns = [msg('Block'), msg('Base fee (gwei)'), msg('Gas used'), ...(hasBlobs ? [msg('Blob fee (gwei)')] : [])]
  for (let index = 0; index < rewardCount; index++) {
    columns.push(
      rewardCount === 1 ? msg('Priority fee (gwei)') : msg('Priority fee {place} (gwei)', { place: String(index + 1) }),
    )
  }
  const rows = fees.slice(0, MAX_ROWS).map((fee, index) => [
    // Of the last one only the price is known: it is not made yet.
    index < used.length
      ? grouped(first + BigInt(index))
      : msg('{block} (next)', { block: grouped(first + BigInt(index)) }),
    gwei(fee),
    share(used[index]),
    ...(hasBlobs ? [gwei(blobFees[index])] : []),
    ...Array.from({ length: rewardCount }, (_, reward) => gwei(rewards[index]?.[reward])),
  ])
  return { kind: 'table', columns, rows, total: fees.length }
}

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

function gwei(value: Json | undefined): string {
  const wei = quantityOf(value)
  return wei === undefined ? '' : inUnits(wei, GWEI_DECIMALS)
}

const share = (value: Json | undefined): string => (typeof value === 'number' ? `${(value * 100).toFixed(1)} %` : '')
