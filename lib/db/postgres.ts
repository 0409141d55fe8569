import 'server-only'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { Client, Pool, type QueryResultRow } from 'pg'
import { log } from '@/lib/core/log'
import type { Database, ServerOptions } from '@/lib/db/client'

const POOL_SIZE = 10
const CONNECT_TIMEOUT_MS = 2_000
const STATEMENT_TIMEOUT_MS = 5_000
const LOCK_TIMEOUT_MS = 2_000
const IDLE_TIMEOUT_MS = 60_000
/** Any number that is ours: processes that start at once migrate one after the other. */
const MIGRATION_LOCK = 7_263_101_447

/** A pool of connections to a PostgreSQL server, 15 or newer. */
export async function openServer(options: ServerOptions, migrations: string): Promise<Database> {
  const { url, poolSize = POOL_SIZE, waitMs } = options
  await migrateServer(url, migrations, waitMs)
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: waitMs ?? CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statement_timeout: waitMs ?? STATEMENT_TIMEOUT_MS,
    lock_timeout: waitMs ?? LOCK_TIMEOUT_MS,
    keepAlive: true,
  })
  // An idle connection that breaks is an event without a request; unheard, it would end the process.
  pool.on('error', (error) => log().warn({ error: error.message }, 'an idle database connection broke'))
  return {
    kind: 'postgres',
    drizzle: drizzle({ client: pool }),
    query: async <Row>(text: string, parameters: unknown[] = []) =>
      (await pool.query<QueryResultRow & Row>(text, parameters)).rows,
    close: () => pool.end(),
  }
}

/** On a connection of its own, since a migration may take longer than a statement of a request ever should. */
async function migrateServer(url: string, migrations: string, waitMs = CONNECT_TIMEOUT_MS): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: waitMs })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await migrate(drizzle({ client }), { migrationsFolder: migrations })
  } finally {
    await client.end()
  }
}
