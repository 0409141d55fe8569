import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'

/** An open, migrated database. One dialect: whatever is written works on both kinds. */
export type Database = {
  kind: 'pglite' | 'postgres'
  /** Typed queries. Inside `drizzle.transaction` use only its argument: PGlite has one connection, and would wait forever. */
  drizzle: PgDatabase<PgQueryResultHKT>
  /** One statement with `$1` parameters. The drivers give raw integers and times different types: cast them to text. */
  query: <Row>(text: string, parameters?: unknown[]) => Promise<Row[]>
  /** How long the oldest statement under way has waited. Milliseconds. */
  oldestMs: () => number
  /** @throws Error that says why the database cannot serve: it does not answer, takes no writes, or a statement hangs. */
  check: () => Promise<void>
  close: () => Promise<void>
}

export type ServerOptions = {
  root: string
  url: string
  /** Connections at most. */
  poolSize?: number
  /** What a statement waits for its connection, for a lock and for its end; unset, no longer than a request should. */
  waitMs?: number
  /** How long a server that cannot be reached is waited for. */
  patienceMs?: number
  /** How long another process may migrate. */
  migrationWaitMs?: number
}
