import 'server-only'
import path from 'node:path'
import type { Database, ServerOptions } from '@/lib/db/database'
import { openFolder } from '@/lib/db/embedded'
import { openServer } from '@/lib/db/postgres'
import { config } from '@/lib/kernel/config'
import { openDataFolder } from '@/lib/kernel/data-folder'

export type DatabaseOptions = ServerOptions | { root: string; dataDir: string }

const START_WAIT_MS = 30_000

const holder = globalThis as typeof globalThis & { __serviceDatabase?: Promise<Database> }

/**
 * Returns this process's database, opened and migrated on first use: PostgreSQL when DATABASE_URL is set, else PGlite
 * in the data folder.
 * @throws DataFolderError when the data folder cannot be written, DatabaseInUseError when another process has it open,
 * DatabaseStartError when the server cannot be used.
 */
export function getDb(): Promise<Database> {
  holder.__serviceDatabase ??= openConfigured().catch((error: unknown) => {
    holder.__serviceDatabase = undefined
    throw error
  })
  return holder.__serviceDatabase
}

export function installDatabase(database: Database | undefined): void {
  holder.__serviceDatabase = database && Promise.resolve(database)
}

export async function closeDb(): Promise<void> {
  const opened = holder.__serviceDatabase
  holder.__serviceDatabase = undefined
  await (await opened)?.close()
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const migrations = migrationsFolder(options.root)
  if ('url' in options) return openServer(options, migrations)
  await openDataFolder(options.dataDir)
  return openFolder(options.root, path.join(options.dataDir, 'db'), migrations)
}

export const migrationsFolder = (root: string): string => path.join(root, 'lib', 'db', 'migrations')

function openConfigured(): Promise<Database> {
  const { root, databaseUrl, databasePoolSize, dataDir } = config()
  if (databaseUrl === undefined) return openDatabase({ root, dataDir })
  return openDatabase({ root, url: databaseUrl, poolSize: databasePoolSize, startWaitMs: START_WAIT_MS })
}
