/** Entry of a `ProcessPool` child. Node runs it unbundled: only packages, types and `./x.ts` may be imported. */
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import threads from 'node:worker_threads'

export type ChildSetup = { parentProcessId: number; maxResidentBytes: number }

export type Refusal<Reason extends string> = { reason: Reason; message: string; detail?: string }

/** `isSpent`: the process holds too much memory to take another task. */
export type Report<Result, Reason extends string> = {
  isSpent: boolean
  outcome: { result: Result } | { refusal: Refusal<Reason> }
}

const SPENT_SHARE = 0.5

/**
 * Runs a process that reads untrusted input: no network, one task at a time, ends with its parent, and is ended by its
 * guard thread when it exceeds its memory.
 *
 * @param refusalOf maps a thrown error to a refusal.
 */
export function serve<Task, Result, Reason extends string>(
  handle: (task: Task) => Promise<Result>,
  refusalOf: (error: unknown) => Refusal<Reason>,
): void {
  const setup = JSON.parse(process.argv[2] ?? '') as ChildSetup
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
  process.on('disconnect', () => process.exit(0))
  // The parent may have gone while the imports were read: then nobody hears of it any more.
  if (!process.connected) process.exit(0)
  // What a library still does on its own when its task is over ends nothing.
  process.on('unhandledRejection', () => undefined)
  new threads.Worker(new URL('./guard.ts', import.meta.url), {
    workerData: setup,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  }).unref()
  takeAway()
  process.on('message', async (task: Task) => {
    const outcome = await handle(task).then(
      (result) => ({ result }),
      (error: unknown) => ({ refusal: refusalOf(error) }),
    )
    const isSpent = process.memoryUsage.rss() > setup.maxResidentBytes * SPENT_SHARE
    const report: Report<Result, Reason> = { isSpent, outcome }
    if (process.connected) process.send?.(report)
  })
}

/**
 * Removes what Node's permission flags leave: network access, and threads, which may be given more rights than their
 * process (Node.js documentation, "Permission Model constraints").
 */
function takeAway(): void {
  for (const name of ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']) Reflect.deleteProperty(globalThis, name)
  net.Socket.prototype.connect = () => {
    throw new Error('there is no network here')
  }
  Reflect.deleteProperty(threads, 'Worker')
  syncBuiltinESMExports()
}
