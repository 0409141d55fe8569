/**
 * What the entry of a process of a `ChildRoom` runs. Node runs it as it stands: only packages, types and `./x.ts` may be
 * imported.
 */
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import threads from 'node:worker_threads'
import type { ChildSetup, Refusal, Report } from './protocol.ts'

/** Of the memory allowed: what is still held after a task would be the next one's fault. */
const SPENT_SHARE = 0.5

/**
 * The life of a process that reads what strangers sent: it has no network, answers one task after the other, ends with
 * its parent, and is ended by its guard thread when it holds more memory than it may.
 *
 * @param refusalOf what to say of a task that threw.
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
 * What the permissions of Node leave to a process. No file has a reason to reach anything: whatever a library would fetch
 * for one fails. And a thread may be given more rights than its process has (Node.js documentation, "Permission Model
 * constraints"): there is none but the guard.
 */
function takeAway(): void {
  for (const name of ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']) Reflect.deleteProperty(globalThis, name)
  net.Socket.prototype.connect = () => {
    throw new Error('there is no network here')
  }
  Reflect.deleteProperty(threads, 'Worker')
  syncBuiltinESMExports()
}
