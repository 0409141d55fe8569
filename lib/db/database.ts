import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'

export type Database = {
  kind: 'pglite' | 'postgres'
  /**
   * Typed queries. Inside `drizzle.transaction` use only its argument: PGlite has one connection and would deadlock.
   */
  drizzle: PgDatabase<PgQueryResultHKT>
  /**
   * Runs one statement with `$1` parameters. The drivers return raw integers and times as different types: cast them to
   * text.
   */
  query: <Row>(text: string, parameters?: unknown[]) => Promise<Row[]>
  /**
   * Hears notifications of a channel (`pg_notify`) until the returned function is called; undefined means that some may
   * have been missed. Not behind a transaction pooler.
   */
  listen: (channel: string, onMessage: (message: string | undefined) => void) => () => Promise<void>
  oldestMs: () => number
  check: () => Promise<void>
  close: () => Promise<void>
}

export type ServerOptions = {
  root: string
  url: string
  poolSize?: number
  waitMs?: number
  startWaitMs?: number
  migrationWaitMs?: number
}
