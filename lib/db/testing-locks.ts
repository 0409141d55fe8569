import type { SQL } from 'drizzle-orm'
import { expect } from 'vitest'
import type { Database } from '@/lib/db/database'

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
