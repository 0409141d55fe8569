import type { RpcNetwork } from '@/lib/contract/rpc-networks'

// Meaning of a reply's values, as plain data: a worker finds it, the page shows it.

/** Gives the meaning of a value; `at` is in Unix seconds. */
export type Interpretation = { kind: 'text'; text: MessageText; note?: MessageText } | { kind: 'time'; at: number }

/** Stands for an interpretation where a text needs no note. */
export type InterpretationLike = Interpretation | MessageText

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

/** Names a part of a value; `type` is Solidity's. */
export type DecodedField = { name: MessageText; type?: string; node: DecodedNode }

export type DecodedCall = {
  kind: 'function' | 'event' | 'error'
  name: string
  signature: string
  // @example 'ERC-20'
  standard: string
  fields: DecodedField[]
}

export type DecodedResult = { node: DecodedNode; note?: MessageText }

export type DecodedItem = Partial<DecodedResult> & {
  index: number
  id?: string
  method?: string
  outcome: 'result' | 'error' | 'neither'
  error?: { code?: string; meaning?: MessageText; message?: string; revert?: DecodedNode }
}

export type DecodedReply = { items: DecodedItem[]; total: number }

export const ITEMS_PATH = 'items'

export type DecodeContext = {
  network: RpcNetwork
  method: string | undefined
  params: unknown
  // Wanted items of a list, by the list's path.
  wanted: Readonly<Record<string, number>>
  // Values that may still be shown. Counts down.
  left: number
}

// For one view: each value becomes a handful of elements of the page.
export const MAX_VALUES = 1_500
const FIRST_ITEMS = 20
const MAX_ITEMS = 400
export const MAX_DEPTH = 10
export const MAX_FIELDS = 100
const MAX_RAW_CHARS = 240

export function valueNode(
  context: DecodeContext,
  value: string | number | bigint | boolean | null,
  interpretations: readonly InterpretationLike[] = [],
  { use, call }: { use?: Use; call?: DecodedCall } = {},
): DecodedNode {
  if (context.left <= 0) return { kind: 'left-out', why: 'many' }
  context.left -= 1
  const text = String(value)
  const read = interpretations.map((each) => (typeof each === 'object' && 'kind' in each ? each : noted(each)))
  return { kind: 'value', raw: text.slice(0, MAX_RAW_CHARS), chars: text.length, interpretations: read, use, call }
}

export const noted = (text: MessageText, note?: MessageText): Interpretation => ({ kind: 'text', text, note })

export function listNode<T>(
  context: DecodeContext,
  path: string,
  values: readonly T[],
  nodeOf: (value: T, path: string, index: number) => DecodedNode,
): DecodedNode {
  const count = Math.min(values.length, context.wanted[path] ?? FIRST_ITEMS, MAX_ITEMS)
  const items: DecodedNode[] = []
  for (let index = 0; index < count && context.left > 0; index++) {
    items.push(nodeOf(values[index]!, `${path}/${index}`, index))
  }
  const canShowMore = items.length < Math.min(values.length, MAX_ITEMS) && context.left > 0
  return { kind: 'list', path, items, total: values.length, canShowMore }
}

/** Describes a message as data: a worker knows no language. `text` is an English sentence and a key of the catalogues. */
export type MessageDescriptor =
  | { text: string; values?: Record<string, string | number> }
  | { counted: Counted; count: number }

export type Counted = 'bytes' | 'contract-bytes' | 'entries' | 'transactions'

export type MessageText = string | MessageDescriptor

/** Describes a message. As in lib/i18n, translators find sentences by the name of this function. */
export const msg = (text: string, values?: Record<string, string | number>): MessageDescriptor => ({ text, values })

const WEI_DECIMALS = 18
const GWEI_DECIMALS = 9
const SMALL_WEI = 10n ** 12n
const MAX_UINT256 = 2n ** 256n - 1n
const MAX_QUANTITY_CHARS = 66

const QUANTITY = /^0x[\da-fA-F]+$/
const DECIMAL = /^\d{1,78}$/

/** Reads a number as nodes write it: a hex quantity, a JSON number, or decimal digits; never below zero. */
export function quantityOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value >= 0n ? value : undefined
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined
  if (typeof value !== 'string') return undefined
  if (value === '0x') return 0n
  const isNumber = (value.length <= MAX_QUANTITY_CHARS && QUANTITY.test(value)) || DECIMAL.test(value)
  return isNumber ? BigInt(value) : undefined
}

export const grouped = (number: bigint): string => number.toString().replace(/\B(?=(?:\d{3})+$)/g, ',')

export function inUnits(amount: bigint, decimals: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const whole = grouped(BigInt(digits.slice(0, digits.length - decimals)))
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${amount < 0n ? '−' : ''}${whole}${fraction && `.${fraction}`}`
}

export function amountInterpretations(wei: bigint, currency: string): InterpretationLike[] {
  if (wei === 0n) return [`0 ${currency}`]
  const coins = `${inUnits(wei, WEI_DECIMALS)} ${currency}`
  return wei < SMALL_WEI ? [coins, ...priceInterpretations(wei)] : [coins, `${grouped(wei)} wei`]
}

export const priceInterpretations = (wei: bigint): InterpretationLike[] => [
  `${inUnits(wei, GWEI_DECIMALS)} gwei`,
  `${grouped(wei)} wei`,
]

// Nobody says how many decimals a contract's number has: large ones are shown with both usual ones.
export function tokenInterpretations(number: bigint, isAmount: boolean): InterpretationLike[] {
  if (number === MAX_UINT256) return [noted(msg('maximum uint256'), msg('unlimited, if this is an allowance'))]
  const interpretations: InterpretationLike[] = [grouped(number)]
  if (!isAmount || number < 1_000n) return interpretations
  if (number >= 10n ** 14n) interpretations.push(noted(inUnits(number, WEI_DECIMALS), msg('with 18 decimals')))
  if (number < 10n ** 17n) interpretations.push(noted(inUnits(number, 6), msg('with 6 decimals')))
  return interpretations
}

// From 2001 to 2286.
const MIN_TIME_SECONDS = 1_000_000_000n
const MAX_TIME_SECONDS = 10_000_000_000n

export const timeInterpretation = (seconds: bigint): Interpretation | undefined =>
  seconds >= MIN_TIME_SECONDS && seconds < MAX_TIME_SECONDS ? { kind: 'time', at: Number(seconds) } : undefined

/** Turns words by kind, as tables of names are written, into the kind of each word. */
export const kindsByName = <Kind extends string>(names: Partial<Record<Kind, string>>): ReadonlyMap<string, Kind> =>
  new Map(
    (Object.entries(names) as [Kind, string][]).flatMap(([kind, words]) =>
      words
        .trim()
        .split(/\s+/)
        .map((word) => [word, kind] as const),
    ),
  )
