/**
 * Guard thread of a process that reads untrusted input: ends the process when it exceeds its memory or its parent is
 * gone. A thread, since the main thread may be busy; resident memory, since buffers are not part of the heap.
 */
import { workerData } from 'node:worker_threads'
import type { ChildSetup } from './child.ts'

const CHECK_EVERY_MS = 50

const { parentProcessId, maxResidentBytes } = workerData as ChildSetup

const isWindows = process.platform === 'win32'
// A signal of its own, so that the parent can tell this end from others. Windows has one way to end a process.
const OUT_OF_MEMORY = isWindows ? 'SIGKILL' : 'SIGUSR2'

setInterval(() => {
  if (isOrphaned()) process.kill(process.pid, 'SIGKILL')
  if (process.memoryUsage.rss() > maxResidentBytes) process.kill(process.pid, OUT_OF_MEMORY)
}, CHECK_EVERY_MS)

/** Windows gives an orphan no new parent. */
function isOrphaned(): boolean {
  if (!isWindows) return process.ppid !== parentProcessId
  try {
    return !process.kill(parentProcessId, 0)
  } catch {
    return true
  }
}
