import { readFile } from 'node:fs/promises'
import { Client } from 'pg'
import { afterAll } from 'vitest'
import { hex } from '@/lib/contract/ids'
import { installDatabase, openDatabase } from '@/lib/db/client'
import type { Database, ServerOptions } from '@/lib/db/database'
import { snapshotFile } from '@/lib/db/testing-snapshot'

const root = process.cwd()
/** On a busy machine a commit takes seconds: tests of money must not depend on the disk. */
const WAIT_MS = 120_000

export type RealDatabase = {
  options: (poolSize?: number) => ServerOptions
  open: (poolSize?: number) => Promise<Database>
}

/**
 * Opens a migrated PGlite in memory and installs it as `getDb()` until the test file ends. Call once, at the top of the
 * file.
 */
export async function testDatabase(): Promise<Database> {
  const snapshot = new Blob([await readFile(await snapshotFile(root))])
  const database = await openDatabase({ root, memory: true, snapshot })
  installDatabase(database)
  afterAll(async () => {
    installDatabase(undefined)
    await database.close()
  })
  return database
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
