import 'server-only'
import { BaseError, type HttpTransport, http } from 'viem'

/** Some public nodes take no longer batches. */
const BATCH_SIZE = 10
const MAX_FAULT_CHARACTERS = 300

/**
 * How viem asks a node: what is asked in one moment goes in one request, unless that is not wanted. viem's own limit ends
 * with the head of a reply, and a body that never ends would be waited for without end; this one is for the whole of it.
 */
export function nodeTransport(
  url: string,
  { timeoutMs, retryCount = 0, isBatched = true }: { timeoutMs: number; retryCount?: number; isBatched?: boolean },
): HttpTransport {
  const fetchFn: typeof fetch = (input, init) => {
    const limit = AbortSignal.timeout(timeoutMs)
    return fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, limit]) : limit })
  }
  const batch = isBatched && { wait: 0, batchSize: BATCH_SIZE }
  return http(url, { timeout: timeoutMs, retryCount, retryDelay: 100, batch, fetchFn })
}

/** What went wrong at a node, for a log. Without addresses: those of many nodes have a key in them. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return withoutAddresses(String(error))
  const words = error instanceof BaseError ? `${error.shortMessage} ${error.details ?? ''}` : error.message
  return withoutAddresses(`${error.name}: ${words}`)
}

const withoutAddresses = (text: string): string =>
  text
    .replace(/\w+:\/\/\S+/g, '(address)')
    .slice(0, MAX_FAULT_CHARACTERS)
    .trim()
