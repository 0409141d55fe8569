import 'server-only'
import { BaseError, type HttpTransport, http } from 'viem'

const BATCH_SIZE = 10
const MAX_FAULT_CHARACTERS = 300

/**
 * Makes viem's transport of a node, which batches the calls of one moment by default. viem's own timeout ends with the
 * head of a reply; this one covers the body.
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

/** Without addresses: those of many nodes hold a key. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return withoutAddresses(String(error))
  const message = error instanceof BaseError ? `${error.shortMessage} ${error.details ?? ''}` : error.message
  return withoutAddresses(`${error.name}: ${message}`)
}

const withoutAddresses = (text: string): string =>
  text
    .replace(/\w+:\/\/\S+/g, '(address)')
    .slice(0, MAX_FAULT_CHARACTERS)
    .trim()
