import 'server-only'
import { createHash } from 'node:crypto'
import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuid } from '@/lib/contract/ids'

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
