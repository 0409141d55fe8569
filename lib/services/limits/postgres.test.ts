import { expect, test, vi } from 'vitest'
import { testDatabase } from '@/lib/db/testing'
import { createSweep } from '@/lib/services/limits/postgres'

const database = await testDatabase()

test.each([
  ['concurrency_lease.name', 'places_limit, holders', `1, '{}'`, 0],
  ['failed_request.caller', 'failed_at, blocked_until', `'{}', 0`, 0],
  ['counter.key', 'used', '1', 60],
] as const)('ended rows of %s go once a minute, and others stay', async (place, others, values, graceSeconds) => {
  const [table, column] = place.split('.')
  const row = (name: string, from: string) =>
    database.query(
      `insert into ${table} (${column}, ${others}, expires_at) values ('${name}', ${values}, now() ${from})`,
    )
  const names = async () =>
    (await database.query<{ name: string }>(`select ${column} as name from ${table}`)).map(({ name }) => name)
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  try {
    const sweep = createSweep(place, graceSeconds)
    await row('ended', `- interval '${graceSeconds + 1} seconds'`)
    await row('alive', graceSeconds > 0 ? `- interval '${graceSeconds / 2} seconds'` : "+ interval '1 hour'")
    sweep(database.query)
    expect((await names()).sort()).toEqual(['alive', 'ended'])
    now.mockReturnValue(60_000)
    sweep(database.query)
    await expect.poll(names).toEqual(['alive'])
  } finally {
    now.mockRestore()
  }
})
