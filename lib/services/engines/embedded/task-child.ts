import { EngineError, type EngineFailure } from '../engine.ts'
import type { TaskCommand, TaskReport } from './task-protocol.ts'

type Task<Input, Output> = (input: Input, signal: AbortSignal) => Promise<Output>

/**
 * Serves tasks in a child process, which Node runs unbundled: loads when the parent names the weights, then does each
 * task it is sent. The message of an EngineError goes to the caller, any other only to the log.
 */
export function serveTasks<Input, Output>(load: (paths: Record<string, string>) => Promise<Task<Input, Output>>): void {
  const running = new Map<number, AbortController>()
  const report = (message: TaskReport<Output>) => {
    if (process.connected) process.send?.(message)
  }
  let task: Task<Input, Output> | undefined

  const prepare = async (paths: Record<string, string>) => {
    try {
      task = await load(paths)
      report({ type: 'loaded', residentBytes: process.memoryUsage.rss() })
    } catch (error) {
      report({ type: 'failed', ...failureOf(error, 'The model could not be loaded.') })
    }
  }
  const run = async (id: number, input: Input) => {
    const abort = new AbortController()
    running.set(id, abort)
    try {
      if (!task) throw new Error('nothing is loaded')
      const output = await task(input, abort.signal)
      report(abort.signal.aborted ? { type: 'cancelled', id } : { type: 'done', id, output })
    } catch (error) {
      if (abort.signal.aborted) report({ type: 'cancelled', id })
      else report({ type: 'failed', id, ...failureOf(error, 'The embedded model could not do this.') })
    } finally {
      running.delete(id)
    }
  }

  endWithParent()
  process.on('message', (command: TaskCommand<Input>) => {
    if (command.type === 'load') void prepare(command.paths)
    else if (command.type === 'task') void run(command.id, command.input)
    else running.get(command.id)?.abort()
  })
}

/** Serves one command in a child process, and ends it. Leaving by `exit` gives back a lock that the work holds. */
export function serveOnce<Command>(work: (command: Command) => Promise<object>): void {
  endWithParent()
  process.on('message', async (command: Command) => {
    const report = await work(command)
    process.send?.(report, undefined, undefined, () => process.exit(0))
  })
}

/** Ends this process with its parent and not by signals, which go to the whole group. */
export function endWithParent(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
  process.on('disconnect', () => process.exit(0))
  // The parent may have gone while the imports were read: then nobody hears of it any more.
  if (!process.connected) process.exit(0)
}

export function failureOf(
  error: unknown,
  message: string,
): { reason: EngineFailure; message: string; detail?: string } {
  if (!(error instanceof EngineError)) return { reason: 'failed', message, detail: messageOf(error) }
  const detail = error.cause === undefined ? {} : { detail: messageOf(error.cause) }
  return { reason: error.reason, message: error.message, ...detail }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
