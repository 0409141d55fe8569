import { readFile } from 'node:fs/promises'
import { PGlite } from '@electric-sql/pglite'
import type { SQL } from 'drizzle-orm'
import { Client } from 'pg'
import { afterAll, expect } from 'vitest'
import { hex } from '@/lib/contract/ids'
import { installDatabase, openDatabase } from '@/lib/db/client'
import type { Database, ServerOptions } from '@/lib/db/database'
import { databaseOf, START_PARAMS } from '@/lib/db/embedded'
import type { EmbeddedClient } from '@/lib/db/embedded-thread'
import { snapshotFile } from '@/lib/db/testing-snapshot'

const root = process.cwd()
/** On a busy machine a commit takes seconds: tests of money must not depend on the disk. */
const WAIT_MS = 120_000

export type RealDatabase = {
  options: (poolSize?: number) => ServerOptions
  open: (poolSize?: number) => Promise<Database>
}

let inMemory: Promise<PGlite> | undefined

/**
 * Installs an empty, migrated PGlite in memory as `getDb()` until the test file ends. Files that share a process use one,
 * one after another. Call once, at the top of the file.
 */
export async function testDatabase(): Promise<Database> {
  inMemory ??= openMemory()
  const client = await inMemory
  await empty(client)
  const database = databaseOf(untilClosed(client))
  installDatabase(database)
  afterAll(async () => {
    installDatabase(undefined)
    await database.close()
  })
  return database
}

async function openMemory(): Promise<PGlite> {
  const snapshot = new Blob([await readFile(await snapshotFile(root))])
  return PGlite.create({ startParams: START_PARAMS, loadDataDir: snapshot })
}

/** Removes all rows, also of tables that refuse it otherwise. A migration adds none. */
async function empty(client: PGlite): Promise<void> {
  await client.exec(`
    begin;
    set local session_replication_role = replica;
    do $$ declare name text; has_rows bool; begin
      for name in select tablename from pg_tables where schemaname = 'public' loop
        execute format('select exists (select from %I)', name) into has_rows;
        if has_rows then execute format('truncate %I restart identity cascade', name); end if;
      end loop;
    end $$;
    commit`)
}

/** What a test file left running must not write into the database of the next. */
function untilClosed(client: PGlite): EmbeddedClient {
  let isClosed = false
  const check = () => {
    if (isClosed) throw new Error('PGlite is closed')
  }
  const listening = new Set<() => Promise<void>>()
  return {
    async query(...parameters) {
      check()
      return client.query(...parameters)
    },
    async transaction(run) {
      check()
      return client.transaction(run)
    },
    async listen(channel, onMessage) {
      check()
      const unlisten = await client.listen(channel, onMessage)
      listening.add(unlisten)
      return unlisten
    },
    oldestMs: () => 0,
    async close() {
      isClosed = true
      await Promise.all([...listening].map((unlisten) => unlisten()))
    },
  }
}

/**
 * Creates a migrated database on the server of TEST_DATABASE_URL, dropped when the test file ends. `open` gives further
 * pools on it, as further processes would have; `options` are for child processes.
 */
export async function realDatabase(): Promise<RealDatabase> {
  const server = process.env.TEST_DATABASE_URL
  if (!server) throw new Error('TEST_DATABASE_URL: a race test needs a PostgreSQL server: npm run test:race starts one')
  const name = `test_${hex(8)}`
  await administer(server, `create database ${name}`)
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  const options = (poolSize?: number): ServerOptions => ({ root, url, poolSize, waitMs: WAIT_MS })
  const opened: Database[] = []
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()))
    await administer(server, `drop database ${name} with (force)`)
  })
  return {
    options,
    open: async (poolSize) => {
      const database = await openDatabase(options(poolSize))
      opened.push(database)
      return database
    },
  }
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/**
 * Runs `work` on `own`, a pool of one, while `others` keep the rows that `lock` selects, until a statement of the work
 * timed out on them.
 */
export async function whileLocked<Result>(
  others: Database,
  own: Database,
  lock: SQL,
  work: (own: Database) => Promise<Result>,
): Promise<Result> {
  await own.query(`set lock_timeout = '50ms'`)
  const locked = Promise.withResolvers<void>()
  const failure = Promise.withResolvers<unknown>()
  const query: Database['query'] = (text, parameters) =>
    own.query<never>(text, parameters).catch((error: unknown) => {
      failure.resolve(error)
      throw error
    })
  const keeping = others.drizzle.transaction(async (transaction) => {
    await transaction.execute(lock)
    locked.resolve()
    expect(await failure.promise).toMatchObject({ code: '55P03' })
  })
  await Promise.race([locked.promise, keeping])
  const [result] = await Promise.all([work({ ...own, query }).finally(() => failure.resolve(undefined)), keeping])
  return result
}
