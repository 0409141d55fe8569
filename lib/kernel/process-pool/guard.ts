/**
 * Guard thread of a process that reads untrusted input: ends the process when it exceeds its memory or its parent is
 * gone. A thread, since the main thread may be busy; resident memory, since buffers are not part of the heap.
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
