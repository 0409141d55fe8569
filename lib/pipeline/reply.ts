import type { StreamEnd } from '@/lib/pipeline/when-done'

/** What a handler answers, before the headers that every reply has. */
export type Reply = {
  /** Default 200. */
  status?: number
  /** A stream is read by pulling: one chunk when the client has taken the one before. */
  body: string | Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array> | null
  contentType?: string
  headers?: Record<string, string>
  /** The contract allows gzip and br for this body. */
  isCompressible?: boolean
  /** Runs once when a stream has ended, broke, or lost its reader; the request is over when it is. */
  onEnd?: (end: StreamEnd, error?: unknown) => Promise<void> | void
}

/** A JSON reply. */
export function jsonReply(value: unknown, options: Omit<Reply, 'body' | 'contentType'> = {}): Reply {
  return { ...options, body: JSON.stringify(value), contentType: 'application/json' }
}
