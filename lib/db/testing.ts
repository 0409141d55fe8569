import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Client } from 'pg'
import { afterAll } from 'vitest'
import { hex } from '@/lib/core/ids'
import { type Database, installDatabase, migrationsFolder, openDatabase } from '@/lib/db/client'
import { takeSnapshot } from '@/lib/db/embedded'

const root = process.cwd()

/**
 * A migrated PGlite in memory, installed as the process's `getDb()` until the test file ends. Once per file, at its top:
 * `const database = await testDatabase()`.
 */
export async function testDatabase(): Promise<Database> {
  const database = await openDatabase({ root, memory: true, snapshot: await snapshot() })
  installDatabase(database)
  afterAll(async () => {
    installDatabase(undefined)
    await database.close()
  })
  return database
}

/**
 * A fresh, migrated database on the server of TEST_DATABASE_URL, dropped when the test file ends. Once per file, at its
 * top. `open` gives further pools on it, as further processes would have.
 */
export async function realDatabase(): Promise<{ url: string; open: (poolSize?: number) => Promise<Database> }> {
  const server = process.env.TEST_DATABASE_URL
  if (!server) throw new Error('TEST_DATABASE_URL: a race test needs a PostgreSQL server')
  const name = `test_${hex(8)}`
  await administer(server, `create database ${name}`)
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  const opened: Database[] = []
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()))
    await administer(server, `drop database ${name} with (force)`)
  })
  return {
    url,
    open: async (poolSize) => {
      const database = await openDatabase({ root, url, poolSize })
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

/** Loading a migrated folder takes a sixth of the time of making one. Kept between runs, by a hash of the migrations. */
async function snapshot(): Promise<Blob> {
  const migrations = migrationsFolder(root)
  const hash = createHash('sha256')
  const files = (await readdir(migrations)).filter((name) => name.endsWith('.sql')).sort()
  for (const name of files) hash.update(name).update(await readFile(path.join(migrations, name)))
  const folder = path.join(root, '.cache')
  const file = path.join(folder, `database-${hash.digest('hex').slice(0, 16)}.tar`)
  const kept = await readFile(file).catch(() => undefined)
  if (kept) return new Blob([kept])
  const made = await takeSnapshot(migrations)
  await mkdir(folder, { recursive: true })
  const temporary = `${file}.${hex(4)}`
  await writeFile(temporary, Buffer.from(await made.arrayBuffer()))
  await rename(temporary, file)
  return made
}
