import { rmSync } from 'node:fs'
import { open, rm, stat, utimes } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const HEARTBEAT_MS = 5_000
const STALE_MS = 20_000
const POLL_MS = 500
const WAIT_LIMIT_MS = 60 * 60_000

/**
 * Runs `work` while holding a lock file, so that one process at a time downloads. A heartbeat instead of a process id:
 * containers that share a folder do not share ids. Two waiters may rarely both inherit a dead holder's lock; then the
 * same file is made twice, and as files arrive by rename, nothing else happens.
 *
 * @throws Error when a living holder has not finished within an hour.
 */
export async function withLockFile<T>(
  file: string,
  onWait: () => void,
  work: () => Promise<T>,
  { staleMs = STALE_MS }: { staleMs?: number } = {},
): Promise<T> {
  await acquire(file, onWait, staleMs)
  const heartbeat = setInterval(() => touch(file), HEARTBEAT_MS)
  const removeAtExit = () => rmSync(file, { force: true })
  process.once('exit', removeAtExit)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    process.off('exit', removeAtExit)
    await rm(file, { force: true })
  }
}

async function acquire(file: string, onWait: () => void, staleMs: number): Promise<void> {
  const deadline = Date.now() + WAIT_LIMIT_MS
  while (!(await tryCreate(file))) {
    if (Date.now() > deadline) throw new Error(`${file} has been held for an hour; remove it if nothing is downloading`)
    if (await isStale(file, staleMs)) await rm(file, { force: true })
    else {
      onWait()
      await sleep(POLL_MS)
    }
  }
}

async function tryCreate(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx')
    await handle.writeFile(`${process.pid}\n`)
    await handle.close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function isStale(file: string, staleMs: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > staleMs
}

function touch(file: string): void {
  const now = new Date()
  // A lock that someone removed by hand is not worth the download.
  utimes(file, now, now).catch(() => undefined)
}
