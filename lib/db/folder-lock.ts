import 'server-only'
import { createHash } from 'node:crypto'
import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuid } from '@/lib/contract/ids'

type Unlock = () => Promise<void>

/** Longer than two processes that find the same dead lock file need to write theirs. */
const TAKEOVER_WAIT_MS = 200

/** Another process has the embedded database open. `message` says what to do. */
export class DatabaseInUseError extends Error {
  override name = 'DatabaseInUseError'

  constructor(folder: string) {
    super(
      `The database in ${folder} is in use by another process, and it serves one at a time. Stop that process first, or set DATABASE_URL to a PostgreSQL server.`,
    )
  }
}

/**
 * Takes `folder` for this process until the returned function is called or the process ends. PGlite itself has no lock:
 * two processes on one folder lose each other's writes without a word.
 *
 * @throws DatabaseInUseError when it is taken.
 */
export async function lockFolder(folder: string, platform: string = process.platform): Promise<Unlock> {
  const real = await realpath(folder)
  return platform === 'linux' ? lockBySocket(real) : lockByFile(real)
}

/** A name of the kernel's, which it frees however the process ends. Holds among processes that share a network namespace. */
function lockBySocket(folder: string): Promise<Unlock> {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 40)
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.unref()
    server.once('error', () => reject(new DatabaseInUseError(folder)))
    server.listen(`\0service-db-${name}`, () => resolve(() => new Promise((closed) => server.close(() => closed()))))
  })
}

/** A file with the owner's process id; that of a dead process is taken over. */
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
