import 'server-only'
import type { ScannedReply } from '@/lib/services/rpc-nodes/reply'

/** A JSON-RPC reply as it came, and what it says. */
export type Answer = { body: Uint8Array<ArrayBuffer>; scanned: ScannedReply }

/** Why a node did not answer, in words that hold nothing of it. */
export type Fault =
  | 'unreachable'
  /** The connection broke before anything came: it may have been an old one. */
  | 'cut'
  | 'cut-short'
  | 'silent'
  | 'status'
  | 'not-json-rpc'
  /** JSON-RPC, and not a reply to what was asked: another shape, or other ids. */
  | 'other-question'
  | 'too-large'
  | 'too-much-at-once'
  | 'unknown-encoding'
  | 'wrong-chain'
  | 'unchecked'

export type Failure = { kind: 'failed'; fault: Fault; status?: number }

/** What became of one request to one node. */
export type Outcome =
  | ({ kind: 'answered' } & Answer)
  /** HTTP 4xx that is about the request. `said`: the node gave its reasons as JSON-RPC. */
  | { kind: 'refused'; status: number; said?: Answer }
  | Failure

/** Statuses that are about us, or about the node; the next node may know better. */
const OURS: ReadonlySet<number> = new Set([401, 402, 403, 407, 408, 429])

export const isRefusal = (status: number): boolean => status >= 400 && status < 500 && !OURS.has(status)

/** A failure that callers may know of as it is: theirs are the hands that can wait. */
export const isPassedOn = (status: number | undefined): status is number =>
  status !== undefined && (status === 429 || (status >= 500 && status <= 599))

/** Nothing was sent. */
export function isConnectFault(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : ''
  return /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|CERT|TLS|SSL/.test(code)
}
