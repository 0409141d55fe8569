/**
 * Thread of a process that reads what strangers sent: ends the whole process when it holds too much memory or when its
 * parent is gone. A thread, because readers keep the main thread busy and nothing there would notice; and by a look at
 * the process, because buffers do not count towards a limit of the heap.
 */
import { workerData } from 'node:worker_threads'
import type { ChildSetup } from './protocol.ts'

const CHECK_EVERY_MS = 50

const { parentProcessId, maxResidentBytes } = workerData as ChildSetup

setInterval(() => {
  if (process.ppid !== parentProcessId) process.kill(process.pid, 'SIGKILL')
  // A signal of its own, so that the parent can tell this end from others.
  if (process.memoryUsage.rss() > maxResidentBytes) process.kill(process.pid, 'SIGUSR2')
}, CHECK_EVERY_MS)
