import path from 'node:path'
import type { PGlite, PGliteInterface, QueryOptions, Results, Transaction } from '@electric-sql/pglite'

export type ThreadSetup = { folder: string; startParams: string[] }

export type ThreadRequest = { id: number } & (
  | {
      do: 'query'
      text: string
      parameters?: unknown[]
      rowMode?: QueryOptions['rowMode']
      /** Types whose values are wanted as the text that the database sends. */
      rawTypes?: number[]
      transaction?: number
    }
  | { do: 'begin' }
  | { do: 'end'; transaction: number; isKept: boolean }
  | { do: 'listen'; channel: string }
  | { do: 'unlisten'; listener: number }
  | { do: 'close' }
)

export type ThreadFailure = { message: string; fields: Record<string, string> }
export type ThreadAnswer =
  | { id: number; result: unknown }
  | { id: number; failure: ThreadFailure }
  /** A notification, for who listens. */
  | { id: number; payload: string }

type Without<Request> = Request extends unknown ? Omit<Request, 'id'> : never

// Next's bundler takes the path given to an imported `Worker` for a module to bundle.
const { Worker } = process.getBuiltinModule('node:worker_threads')

/** What is used of PGlite. `oldestMs`: for how long the oldest open statement has waited. */
export type EmbeddedClient = Pick<PGlite, 'query' | 'transaction' | 'listen' | 'close'> & { oldestMs: () => number }

/**
 * Opens PGlite in a thread of its own. Of a query's parsers the types count: their values come as the text that the database
 * sends, which is what drizzle asks for.
 */
export async function openThread(root: string, setup: ThreadSetup): Promise<EmbeddedClient> {
  const worker = new Worker(path.join(root, 'lib', 'db', 'embedded-worker.ts'), { workerData: setup })
  const waiting = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (error: unknown) => void; since: number }
  >()
  const listeners = new Map<number, (payload: string) => void>()
  const ready = Promise.withResolvers<unknown>()
  waiting.set(0, { ...ready, since: performance.now() })
  let lastId = 0
  let gone: Error | undefined

  worker.on('message', (answer: ThreadAnswer) => {
    if ('payload' in answer) return listeners.get(answer.id)?.(answer.payload)
    const asked = waiting.get(answer.id)
    waiting.delete(answer.id)
    // Between statements the thread does not keep the process from ending.
    if (waiting.size === 0) worker.unref()
    if ('failure' in answer) asked?.reject(Object.assign(new Error(answer.failure.message), answer.failure.fields))
    else asked?.resolve(answer.result)
  })
  const fail = (error: Error) => {
    gone ??= error
    for (const { reject } of waiting.values()) reject(gone)
    waiting.clear()
  }
  worker.once('error', fail)
  worker.once('exit', () => fail(new Error('the embedded database has ended')))

  function ask(request: Without<ThreadRequest>): { id: number; result: Promise<unknown> } {
    const id = ++lastId
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    if (gone) reject(gone)
    else {
      waiting.set(id, { resolve, reject, since: performance.now() })
      worker.ref()
      worker.postMessage({ ...request, id })
    }
    return { id, result: promise }
  }

  const queryOf =
    (transaction?: number): PGliteInterface['query'] =>
    async <Row>(text: string, parameters?: unknown[], options?: QueryOptions) => {
      const rawTypes = options?.parsers && Object.keys(options.parsers).map(Number)
      const { rowMode } = options ?? {}
      return (await ask({ do: 'query', text, parameters, rowMode, rawTypes, transaction }).result) as Results<Row>
    }

  async function transaction<Result>(run: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    const { id, result: begun } = ask({ do: 'begin' })
    await begun
    const end = (isKept: boolean) => ask({ do: 'end', transaction: id, isKept }).result
    try {
      const result = await run({ query: queryOf(id) } as Transaction)
      await end(true)
      return result
    } catch (error) {
      await end(false).catch(() => undefined)
      throw error
    }
  }

  async function listen(channel: string, onMessage: (payload: string) => void) {
    const { id, result } = ask({ do: 'listen', channel })
    listeners.set(id, onMessage)
    await result
    return async () => {
      listeners.delete(id)
      await ask({ do: 'unlisten', listener: id }).result
    }
  }

  await ready.promise
  return {
    query: queryOf(),
    transaction: transaction as EmbeddedClient['transaction'],
    listen,
    oldestMs() {
      const [oldest] = waiting.values()
      return oldest ? performance.now() - oldest.since : 0
    },
    async close() {
      await ask({ do: 'close' }).result
      await worker.terminate()
    },
  }
}
