import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { log } from '@/lib/kernel/log'

const RETRY_MS = 1_000

/** PostgreSQL cannot be used: `message` names the variable, the server and the reason, never the password. */
export class DatabaseStartError extends Error {
  override name = 'DatabaseStartError'

  constructor(url: string, problem: string, cause?: unknown) {
    super(`DATABASE_URL: PostgreSQL at ${addressOf(url)} ${problem}`, { cause })
  }
}

/**
 * Connects to a server, and waits for one that is starting.
 * @param waitMs for one attempt.
 * @param startWaitMs for all of them.
 * @throws DatabaseStartError at once when the server refuses the database, the user or the password.
 */
export async function connectServer(url: string, waitMs: number, startWaitMs: number): Promise<Client> {
  const until = performance.now() + startWaitMs
  for (let isFirst = true; ; isFirst = false) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: waitMs, keepAlive: true })
    // A connection that breaks between two statements must not end the process; the next statement says it.
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      void client.end().catch(() => {})
      const reason = reasonOf(error)
      if (!isAway(error)) throw new DatabaseStartError(url, `refuses the connection: ${reason}`, error)
      if (performance.now() + RETRY_MS > until)
        throw new DatabaseStartError(
          url,
          `cannot be reached: ${reason}. Is it running, and is the address right?`,
          error,
        )
      if (isFirst) {
        const seconds = Math.round(startWaitMs / 1_000)
        log().warn(
          `DATABASE_URL: PostgreSQL at ${addressOf(url)} cannot be reached (${reason}). Trying for ${seconds} s.`,
        )
      }
      await sleep(RETRY_MS)
    }
  }
}

function isAway(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof TypeError) return false
  const code = String((error as { code?: unknown }).code ?? '')
  if ('severity' in error) return /^(08|53|57P)/.test(code)
  return !/^(ERR_|SELF_SIGNED|CERT_|DEPTH_|UNABLE_)/.test(code) && !/^SASL|does not support SSL/.test(error.message)
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || String((error as { code?: unknown }).code)
}

function addressOf(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname || 'localhost'}:${port || 5432}`
}
