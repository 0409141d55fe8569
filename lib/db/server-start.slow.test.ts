import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, expect, test, vi } from 'vitest'
import { openDatabase } from '@/lib/db/client'
import { DatabaseStartError } from '@/lib/db/postgres'
import { log } from '@/lib/kernel/log'

const root = process.cwd()
// A port on which nobody listens: taken, and given back.
const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as { port: number }
await new Promise((closed) => server.close(closed))
afterAll(() => vi.restoreAllMocks())

test('a server that cannot be reached is named, without the password, and waited for', async () => {
  const warned = vi.spyOn(log(), 'warn').mockImplementation(() => {})
  const url = `postgres://lagoon:s3cret@127.0.0.1:${port}/lagoon`
  const failure = await openDatabase({ root, url, startWaitMs: 1_500 }).catch((error: unknown) => error as Error)
  expect(failure).toBeInstanceOf(DatabaseStartError)
  const { message } = failure as Error
  expect(message).toBe(
    `DATABASE_URL: PostgreSQL at 127.0.0.1:${port} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}. Is it running, and is the address right?`,
  )
  expect(warned.mock.calls).toEqual([
    [
      `DATABASE_URL: PostgreSQL at 127.0.0.1:${port} cannot be reached (connect ECONNREFUSED 127.0.0.1:${port}). Trying for 2 s.`,
    ],
  ])
})
