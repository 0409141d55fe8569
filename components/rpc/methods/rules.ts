import { isRecord } from '@/components/rpc/methods/blocks'
import { error, type Fault, warning } from '@/components/rpc/methods/hex'
import type { ParamPath, RuleName } from '@/components/rpc/methods/types'

type Found = Fault & { at: ParamPath }
type Rule = (value: Record<string, unknown>) => Found[]

/** Wider ranges are refused by most public nodes, or take long. */
const WIDE_RANGE_BLOCKS = 10_000n
const MAX_FEE_BLOCKS = 1_024n
const MAX_EVENTS = 1_024

const RULES: Record<Exclude<RuleName, 'fees'>, Rule> = {
  call: callRule,
  logs: logsRule,
  traces: rangeRule,
  events: eventsRule,
}

/** What is wrong with several fields taken together. `at` is from the object on. */
export function ruleFaults(rule: RuleName, value: unknown): Found[] {
  if (rule === 'fees') return Array.isArray(value) ? feesRule(value) : []
  return isRecord(value) ? RULES[rule](value) : []
}

function callRule({ gasPrice, maxFeePerGas, maxPriorityFeePerGas, data, input }: Record<string, unknown>): Found[] {
  const found: Found[] = []
  if (isSet(gasPrice) && (isSet(maxFeePerGas) || isSet(maxPriorityFeePerGas))) {
    found.push({ at: ['gasPrice'], ...error('A gas price does not go together with the two fees of EIP-1559.') })
  }
  if (isSet(data) && isSet(input) && data !== input) {
    found.push({ at: ['input'], ...error('Data and input are the same field: set one of them.') })
  }
  return found
}

function logsRule(value: Record<string, unknown>): Found[] {
  const { blockHash, fromBlock, toBlock, address, topics } = value
  if (isSet(blockHash) && (isSet(fromBlock) || isSet(toBlock))) {
    return [{ at: ['blockHash'], ...error('Give a block hash or a range of blocks, not both.') }]
  }
  if (fromBlock === 'earliest' && toBlock !== 'earliest' && !isSmall(toBlock)) {
    const isWide = !isSet(address) && !hasEntries(topics)
    const narrow = isWide ? ' Narrow it by contract or topic, too.' : ''
    return [{ at: ['fromBlock'], ...warning(`This is the whole chain: most nodes refuse it.${narrow}`) }]
  }
  return rangeRule(value)
}

function rangeRule({ fromBlock, toBlock }: Record<string, unknown>): Found[] {
  const from = heightOf(fromBlock)
  const to = heightOf(toBlock)
  if (from === undefined || to === undefined) return []
  if (from > to) return [{ at: ['toBlock'], ...error('The range ends before it begins.') }]
  if (to - from <= WIDE_RANGE_BLOCKS) return []
  const count = (to - from + 1n).toLocaleString('en')
  return [{ at: ['toBlock'], ...warning(`${count} blocks: most nodes refuse more than 10,000 in one call.`) }]
}

function eventsRule({ chunk_size: size, from_block: from, to_block: to }: Record<string, unknown>): Found[] {
  const found: Found[] = []
  if (typeof size === 'number' && size > MAX_EVENTS) {
    found.push({ at: ['chunk_size'], ...warning('Most nodes refuse pages of more than 1,024 events.') })
  }
  const first = isRecord(from) ? from.block_number : undefined
  const last = isRecord(to) ? to.block_number : undefined
  if (typeof first === 'number' && typeof last === 'number' && first > last) {
    found.push({ at: ['to_block'], ...error('The range ends before it begins.') })
  }
  return found
}

function feesRule([count, , percentiles]: readonly unknown[]): Found[] {
  const found: Found[] = []
  const blocks = heightOf(count)
  if (blocks !== undefined && blocks > MAX_FEE_BLOCKS) {
    found.push({ at: [0], ...warning('Most nodes give 1,024 blocks at most.') })
  }
  const list: unknown[] = Array.isArray(percentiles) ? percentiles : []
  const falling = list.findIndex((each, index) => isBelow(each, list[index - 1]))
  if (falling > 0) found.push({ at: [2, falling], ...error('Percentiles have to rise.') })
  return found
}

const MAX_HEIGHT_CHARS = 66

function heightOf(block: unknown): bigint | undefined {
  if (block === 'earliest') return 0n
  if (typeof block !== 'string' || block.length > MAX_HEIGHT_CHARS || !/^0x[0-9a-f]+$/i.test(block)) return undefined
  return BigInt(block)
}

function isSmall(block: unknown): boolean {
  const height = heightOf(block)
  return height !== undefined && height <= WIDE_RANGE_BLOCKS
}

const isBelow = (one: unknown, other: unknown): boolean =>
  typeof one === 'number' && typeof other === 'number' && one < other
const isSet = (value: unknown): boolean => value !== undefined && value !== null
const hasEntries = (value: unknown): boolean => Array.isArray(value) && value.some((entry) => entry !== null)
