import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { Client, type PoolConfig, type QueryResultRow } from 'pg'
import type { Database, ServerOptions } from '@/lib/db/database'
import { checkDatabase } from '@/lib/db/outage'
import { WatchedPool } from '@/lib/db/pool'
import { log } from '@/lib/kernel/log'

const POOL_SIZE = 10
// A request waits for two statements in a row at most while the database hangs: one that is given up, and one that finds
// no connection then. Together they stay below the eight seconds in which every request is answered.
const CONNECT_TIMEOUT_MS = 2_000
const STATEMENT_TIMEOUT_MS = 3_500
/** Later than the server's own timeout, so that a living server reports what became of the statement. */
const ANSWER_MARGIN_MS = 500
const LOCK_TIMEOUT_MS = 2_000
const IDLE_TRANSACTION_MS = 10_000
const IDLE_TIMEOUT_MS = 60_000
const KEEP_ALIVE_MS = 10_000
const MIGRATION_LOCK = 7_263_101_447
const MIGRATION_WAIT_MS = 300_000
const MIGRATION_LOOK_MS = 500

/** Opens a pool of connections to a PostgreSQL server, 15 or newer, or to a PgBouncer in front of one. */
export async function openServer(options: ServerOptions, migrations: string): Promise<Database> {
  const { url, waitMs, startWaitMs = 0 } = options
  const client = await connectServer(url, waitMs ?? CONNECT_TIMEOUT_MS, startWaitMs)
  try {
    await migrateServer(client, url, migrations, options.migrationWaitMs ?? MIGRATION_WAIT_MS)
  } finally {
    void client.end().catch(() => {})
  }
  const { pool, isPooled } = await openPool(options)
  const query = async <Row>(text: string, parameters: unknown[] = []) =>
    (await pool.query<QueryResultRow & Row>(text, parameters)).rows
  const { watch } = pool
  return {
    kind: 'postgres',
    drizzle: drizzle({ client: pool }),
    query,
    listen: (channel, onMessage) => (isPooled ? async () => {} : listenTo(url, channel, onMessage)),
    oldestMs: watch.oldestMs,
    check: () => checkDatabase({ query }, watch.oldestMs(), waitMs ?? STATEMENT_TIMEOUT_MS),
    close: () => pool.end(),
  }
}

/**
 * Sets timeouts that the server enforces. A transaction pooler takes no settings; behind one only our own deadline
 * counts.
 */
async function openPool({
  url,
  poolSize = POOL_SIZE,
  waitMs,
}: ServerOptions): Promise<{ pool: WatchedPool; isPooled: boolean }> {
  const bounds: PoolConfig = {
    statement_timeout: waitMs ?? STATEMENT_TIMEOUT_MS,
    lock_timeout: waitMs ?? LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: waitMs ?? IDLE_TRANSACTION_MS,
  }
  const create = (settings: PoolConfig) =>
    new WatchedPool(
      {
        connectionString: url,
        max: poolSize,
        connectionTimeoutMillis: waitMs ?? CONNECT_TIMEOUT_MS,
        idleTimeoutMillis: IDLE_TIMEOUT_MS,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
        ...settings,
      },
      (waitMs ?? STATEMENT_TIMEOUT_MS) + ANSWER_MARGIN_MS,
    )
  const isTaken = await takesSettings(url, bounds)
  const pool = create(isTaken ? bounds : {})
  const [limits] = (
    await pool.query<{ statement: string; lock: string }>(
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`,
    )
  ).rows
  // Some poolers refuse settings, others pass over them in silence.
  const isDropped = limits?.statement === '0' || limits?.lock === '0'
  if (isDropped) {
    log().warn(
      `DATABASE_URL: a pooler drops our timeouts, and the server has none of its own. Run once, as the role's owner: alter role … set statement_timeout = '${STATEMENT_TIMEOUT_MS}ms'; alter role … set lock_timeout = '${LOCK_TIMEOUT_MS}ms'`,
    )
  }
  return { pool, isPooled: isDropped || !isTaken }
}

const LISTEN_RETRY_MS = 1_000

/** Listens on a connection of its own, and on another one when that breaks. */
function listenTo(url: string, channel: string, onMessage: (message: string | undefined) => void): () => Promise<void> {
  let isStopped = false
  let client: Client | undefined
  let retry: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    const next = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true })
    client = next
    const again = () => {
      if (isStopped || client !== next) return
      client = undefined
      void next.end().catch(() => {})
      retry = setTimeout(connect, LISTEN_RETRY_MS).unref()
    }
    next.on('error', again)
    next.on('end', again)
    next.on('notification', ({ payload }) => onMessage(payload))
    try {
      await next.connect()
      // It must not keep a process alive that has ended its work.
      // Its types lack the method.
      ;(next as Client & { unref: () => void }).unref()
      await next.query(`listen ${channel}`)
      onMessage(undefined)
    } catch {
      again()
    }
  }

  void connect()
  return async () => {
    isStopped = true
    clearTimeout(retry)
    await client?.end().catch(() => {})
  }
}

/** Asks on a separate connection: a refused setting is no outage and is not counted as one. */
async function takesSettings(url: string, bounds: PoolConfig): Promise<boolean> {
  const client = new Client({ ...bounds, connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch (error) {
    // What else is wrong shows on the pool's own first connection.
    return !isRefusedSetting(error)
  } finally {
    void client.end().catch(() => {})
  }
}

function isRefusedSetting(error: unknown): boolean {
  return error instanceof Error && /startup parameter/i.test(error.message)
}

/**
 * Migrates in one transaction with the lock, since a pooler may give every transaction another connection. Without a
 * timeout: a migration may take longer than a request's statement.
 */
async function migrateServer(client: Client, url: string, migrations: string, waitMs: number): Promise<void> {
  await client.query('begin')
  await waitForTurn(client, url, waitMs)
  try {
    // Its own `begin` finds the transaction open, and its `commit` ends it.
    await migrate(drizzle({ client }), { migrationsFolder: migrations })
  } catch (error) {
    // What drizzle says is the statement, which may be a page long; why it failed is inside.
    const { message } = (error instanceof DrizzleQueryError ? error.cause : undefined) ?? (error as Error)
    throw new DatabaseStartError(url, `cannot be brought up to date: ${message}`, error)
  }
}

async function waitForTurn(client: Client, url: string, waitMs: number): Promise<void> {
  const until = performance.now() + waitMs
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await client.query<{ ok: boolean }>('select pg_try_advisory_xact_lock($1) as ok', [MIGRATION_LOCK])
    if (rows[0]?.ok) return
    const isLate = performance.now() > until
    if (isFirst || isLate) {
      const holder = await lockHolder(client)
      if (isLate) throw new DatabaseStartError(url, `is being migrated by another process that does not end: ${holder}`)
      log().info(`Waiting for another process that migrates the database: ${holder}`)
    }
    await sleep(MIGRATION_LOOK_MS)
  }
}

async function lockHolder(client: Client): Promise<string> {
  const { rows } = await client.query<{ pid: number; address: string | null; seconds: number | null }>(
    `select l.pid, host(a.client_addr) as address, extract(epoch from now() - a.xact_start)::int as seconds
       from pg_locks l left join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and l.database = (select oid from pg_database where datname = current_database())
        and (l.classid::bigint << 32) + l.objid::bigint = $1`,
    [MIGRATION_LOCK],
  )
  const [row] = rows
  if (!row) return 'it has just ended'
  return `server process ${row.pid}, connected from ${row.address ?? 'the same machine'}, for ${row.seconds ?? 0} s`
}

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
async function connectServer(url: string, waitMs: number, startWaitMs: number): Promise<Client> {
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
