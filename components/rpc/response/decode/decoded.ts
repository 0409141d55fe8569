import type { Words } from '@/components/rpc/response/decode/message-descriptor'
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
