import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { log } from '@/lib/kernel/log'

/**
 * What operators connect and install changes the catalogue of every process. One row counts the changes; who changes
 * something counts on in the same moment, and processes that share a database look at the row.
 */

const KEY = 'catalogue-version'
/** Others follow within two seconds, the reading of the catalogue included. */
const LOOK_EVERY_MS = 1_500

type Executor = { execute: (statement: SQL) => PromiseLike<unknown> }

/** Counts a change on, in the transaction that makes it. */
export async function bumpCatalogueVersion(transaction: Executor): Promise<void> {
  await transaction.execute(
    sql`insert into installation (key, value) values (${KEY}, '1')
        on conflict (key) do update set value = (installation.value::bigint + 1)::text`,
  )
}

async function catalogueVersion({ query }: Pick<Database, 'query'>): Promise<string> {
  const [row] = await query<{ value: string }>('select value from installation where key = $1', [KEY])
  return row?.value ?? '0'
}

/**
 * Runs `reload` now, and whenever another process has changed something. The embedded database has one process, and
 * nobody to follow.
 */
export async function followCatalogueVersion(reload: () => Promise<void>): Promise<NodeJS.Timeout | undefined> {
  const database = await getDb()
  const isShared = database.kind === 'postgres'
  // Read before: what changes in between is then read twice, and never missed.
  let seen = isShared ? await catalogueVersion(database) : ''
  await reload()
  if (!isShared) return undefined
  let isLooking = false
  const look = async () => {
    if (isLooking) return
    isLooking = true
    try {
      const version = await catalogueVersion(database)
      if (version === seen) return
      await reload()
      seen = version
    } catch (error) {
      log().warn({ err: error }, 'changes of the catalogue could not be read; trying again')
    } finally {
      isLooking = false
    }
  }
  return setInterval(() => void look(), LOOK_EVERY_MS).unref()
}
