import 'server-only'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { PGlite } from '@electric-sql/pglite'
import { drizzle, type PgliteDatabase } from 'drizzle-orm/pglite'
import { migrate } from 'drizzle-orm/pglite/migrator'
import { uuid } from '@/lib/contract/ids'
import type { Database } from '@/lib/db/database'
import { type EmbeddedClient, openThread, type ThreadSetup } from '@/lib/db/embedded-thread'
import { checkDatabase, fromDriver } from '@/lib/db/outage'
import { log } from '@/lib/kernel/log'

/** PGlite has no background workers, so autovacuum never runs on rows that change with every request. */
const VACUUM =
  'vacuum (analyze) lease, checkpoint, ledger_process, balance, api_key, counter, rpc_reply, rpc_reply_total, rpc_credits, hold, job'
/** The default buffer of 128 MB would only hold again what the system caches of the files. */
export const START_PARAMS = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB']
const VACUUM_INTERVAL_MS = 3_600_000
/** A statement that takes longer is a sign of trouble; a vacuum of a large table may take seconds. */
const STUCK_MS = 30_000

// When V8 frees compiled WebAssembly that it has replaced by faster code, it now and then ends the process: "Check failed:
// jit_page_->allocations_.erase(addr) == 1", https://github.com/nodejs/node/issues/64500. What it would free is few MB. The
// flag is that of all threads.
setFlagsFromString('--no-wasm-code-gc')

/**
 * Opens PGlite in `folder`, for one process at a time. It survives `kill -9`, but never syncs to disk, so a power cut
 * may lose the last writes.
 * @throws DatabaseInUseError when another process has it.
 */
export async function openFolder(root: string, folder: string, migrations: string): Promise<Database> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // PGlite creates its files readable by everyone, and the folder may be older than this rule.
  await chmod(folder, 0o700)
  const unlock = await lockFolder(folder)
  try {
    const setup = { folder, startParams: START_PARAMS }
    if (!existsSync(path.join(folder, 'PG_VERSION'))) await createCluster(root, setup)
    const database = await openMigrated(await openThread(root, setup), migrations)
    const vacuum = setInterval(() => {
      database.query(VACUUM).catch((error: unknown) => log().warn({ error: String(error) }, 'the vacuum failed'))
    }, VACUUM_INTERVAL_MS).unref()
    const close = () => {
      clearInterval(vacuum)
      return database.close().finally(unlock)
    }
    return { ...database, close }
  } catch (error) {
    await unlock()
    throw error
  }
}

/** Creates the files in a thread that ends: only its end frees the memory that this takes. */
async function createCluster(root: string, setup: ThreadSetup): Promise<void> {
  await (await openThread(root, setup)).close()
}

async function openMigrated(client: EmbeddedClient, migrations: string): Promise<Database> {
  const database = databaseOf(client)
  await migrate(database.drizzle, { migrationsFolder: migrations })
  return database
}

export function databaseOf(client: EmbeddedClient): Database & { drizzle: PgliteDatabase } {
  const query = async <Row>(text: string, parameters: unknown[] = []) => {
    try {
      return (await client.query<Row>(text, parameters)).rows
    } catch (error) {
      throw fromDriver(error)
    }
  }
  return {
    kind: 'pglite',
    // It uses no more of it than the two have in common.
    drizzle: drizzle({ client: client as EmbeddedClient & PGlite }),
    query,
    listen(channel, onMessage) {
      const unlisten = client.listen(channel, onMessage).catch(() => async () => {})
      return async () => {
        await (await unlisten)().catch(() => {})
      }
    },
    oldestMs: client.oldestMs,
    check: () => checkDatabase({ query }, client.oldestMs(), STUCK_MS),
    close: () => client.close(),
  }
}

type Unlock = () => Promise<void>

const TAKEOVER_WAIT_MS = 200

export class DatabaseInUseError extends Error {
  override name = 'DatabaseInUseError'

  constructor(folder: string) {
    super(
      `The database in ${folder} is in use by another process, and it serves one at a time. Stop that process first, or set DATABASE_URL to a PostgreSQL server.`,
    )
  }
}

/**
 * Locks `folder` for this process until the returned function is called or the process ends. PGlite has no lock of its
 * own: two processes on one folder silently lose each other's writes.
 * @throws DatabaseInUseError when it is taken.
 */
export async function lockFolder(folder: string, platform: string = process.platform): Promise<Unlock> {
  const real = await realpath(folder)
  return platform === 'linux' ? lockBySocket(real) : lockByFile(real)
}

/**
 * An abstract socket, which the kernel frees however the process ends. Holds among processes of one network namespace.
 */
function lockBySocket(folder: string): Promise<Unlock> {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 40)
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.unref()
    server.once('error', () => reject(new DatabaseInUseError(folder)))
    server.listen(`\0service-db-${name}`, () => resolve(() => new Promise((closed) => server.close(() => closed()))))
  })
}

async function lockByFile(folder: string): Promise<Unlock> {
  const file = `${folder}.lock`
  const mine = `${process.pid} ${uuid()}`
  try {
    await writeFile(file, mine, { flag: 'wx', mode: 0o600 })
  } catch {
    if (isAlive(Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10))) throw new DatabaseInUseError(folder)
    const temporary = `${file}.${uuid()}`
    await writeFile(temporary, mine, { mode: 0o600 })
    await rename(temporary, file)
    // Of several that take over a dead lock at once, the last to rename has it.
    await sleep(TAKEOVER_WAIT_MS)
    if ((await readFile(file, 'utf8').catch(() => '')) !== mine) throw new DatabaseInUseError(folder)
  }
  return () => rm(file, { force: true })
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives, and is another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
