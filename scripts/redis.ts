import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { installDebian } from '@/scripts/tools/debian'
import { freePort } from '@/scripts/tools/free-port'
import { guardServer } from '@/scripts/tools/guard-server'

const START_TIMEOUT_MS = 30_000
const PROGRAMS = ['redis-server', 'valkey-server']
/** Debian's package of tools has the server too, under a name by which it checks files; the server's own package starts one at once. */
const DEBIAN = { package: 'redis-tools', program: '/usr/bin/redis-check-rdb' }

export type TestRedis = { url: string; stop: () => Promise<void> }

/** Installs Redis where Debian's packages can be had and there is none. */
export async function ensureRedis(): Promise<void> {
  if (program() === undefined) await installDebian('install Redis', [DEBIAN.package])
}

/**
 * Starts a real Redis for tests: on loopback, on a free port, in memory. It ends with `stop`, and however this process ends.
 * @throws when there is none on this machine.
 */
export async function startRedis(): Promise<TestRedis> {
  const file = program()
  if (file === undefined)
    throw new Error('No Redis for the tests of shared limits. Install redis-server or valkey-server.')
  const port = await freePort()
  const settings = [
    '--bind',
    '127.0.0.1',
    '--port',
    String(port),
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    tmpdir(),
  ]
  const server = spawn(file, settings, { argv0: 'redis-server', stdio: 'ignore' })
  const stop = guardServer(server, 'SIGTERM', 'kill "$1"', String(server.pid))
  const url = `redis://127.0.0.1:${port}`
  if (await answers(url, server)) return { url, stop }
  await stop()
  throw new Error(`Redis did not start: ${file}`)
}

function program(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  return [...folders.flatMap((folder) => PROGRAMS.map((name) => path.join(folder, name))), DEBIAN.program].find(
    (file) => existsSync(file),
  )
}

async function answers(url: string, server: ChildProcess): Promise<boolean> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => 50, maxRetriesPerRequest: null })
  redis.on('error', () => undefined)
  try {
    const ended = once(server, 'close').then(() => false)
    return await Promise.race([redis.ping().then(() => true), ended, sleep(START_TIMEOUT_MS, false, { ref: false })])
  } finally {
    redis.disconnect()
  }
}
