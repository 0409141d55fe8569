import 'server-only'
import type { Socket } from 'node:net'
import { Client, type ClientBase, type ClientConfig, Pool, type PoolClient, type PoolConfig } from 'pg'
import { fromDriver } from '@/lib/db/outage'
import { log } from '@/lib/kernel/log'

class NoAnswer extends Error {
  override name = 'NoAnswer'
  readonly code = 'NO_ANSWER'

  constructor(deadlineMs: number) {
    super(`no answer within ${deadlineMs} ms; the connection was closed`)
  }
}

type Callback = (error: unknown, result?: unknown) => void
type Query = (...args: unknown[]) => unknown

/**
 * A pool whose statements end: one without an answer after `deadlineMs` closes its connection and all idle ones that were
 * not heard since it was sent: a failover or firewall that swallowed one has mostly swallowed the others too.
 */
export class WatchedPool extends Pool {
  readonly watch: StatementWatch

  constructor(options: PoolConfig, deadlineMs: number) {
    const watch = createStatementWatch(deadlineMs)
    const connections = new Set<WatchedClient>()

    class WatchedClient extends Client {
      #underWay = 0
      /** Never, while it connects: that has a timeout of its own. */
      #heardAt = Number.POSITIVE_INFINITY

      constructor(config?: string | ClientConfig) {
        super(config)
        // A connection that breaks inside a transaction has no other listener, and the event would end the process.
        this.on('error', () => {})
        this.once('connect', () => this.#hear())
        this.once('end', () => connections.delete(this))
        connections.add(this)
        const query = this.query.bind(this) as Query
        this.query = ((...args: unknown[]) => this.#watched(query, args)) as Client['query']
      }

      closeIfSilent(since: number): void {
        if (this.#underWay > 0 || this.#heardAt > since) return
        // The pool removes it now, not once the socket is closed: the next statement may come before that.
        this.emit('error', new NoAnswer(deadlineMs))
        this.#close()
      }

      #hear(): void {
        this.#heardAt = performance.now()
      }

      #watched(query: Query, args: unknown[]): unknown {
        this.#underWay++
        const unwatch = watch.begin((since) => this.#giveUp(since))
        const end = () => {
          this.#underWay--
          this.#hear()
          unwatch()
        }
        const callback = args.at(-1)
        if (typeof callback === 'function') {
          const ended: Callback = (error, result) => {
            end()
            callback(error && fromDriver(error), result)
          }
          return query(...args.slice(0, -1), ended)
        }
        return (query(...args) as Promise<unknown>).then(
          (result) => {
            end()
            return result
          },
          (error: unknown) => {
            end()
            throw fromDriver(error)
          },
        )
      }

      #giveUp(since: number): void {
        log().error({ waitedMs: deadlineMs }, 'a database statement got no response; its connection was closed')
        this.#close(new NoAnswer(deadlineMs))
        for (const connection of connections) connection.closeIfSilent(since)
      }

      #close(why?: Error): void {
        const { stream } = this.connection as unknown as { stream: Socket }
        stream.destroy(why)
      }
    }

    super({ ...options, Client: WatchedClient as unknown as new () => ClientBase })
    this.watch = watch
    // An idle connection that breaks is an event without a request; unheard, it would end the process.
    this.on('error', (error) => log().warn({ error: error.message }, 'an idle database connection broke'))
    const query = this.query.bind(this) as Query
    this.query = ((...args: unknown[]) => (query(...args) as Promise<unknown>).catch(rethrown)) as Pool['query']
    const connect = this.connect.bind(this) as Query
    this.connect = ((callback?: Callback) =>
      callback
        ? connect(callback)
        : (connect() as Promise<PoolClient>).then(withSafeRelease, rethrown)) as Pool['connect']
  }
}

function rethrown(error: unknown): never {
  throw fromDriver(error)
}

/**
 * Frees the pool's slot when the connection ends. drizzle does not when its `begin` fails, and ten such outages would
 * empty the pool for good.
 */
function withSafeRelease(client: PoolClient): PoolClient {
  const { release } = client
  let isReleased = false
  const once = (error?: Error | boolean) => {
    if (isReleased) return
    isReleased = true
    client.off('end', ended)
    release(error)
  }
  const ended = () => once(true)
  client.once('end', ended)
  client.release = once
  return client
}

type GiveUp = (since: number) => void
type Statement = { since: number; giveUp: GiveUp }

type StatementWatch = ReturnType<typeof createStatementWatch>

/**
 * Gives up on statements after `deadlineMs`, with one timer for the oldest: a timer per statement would cost every
 * request.
 */
function createStatementWatch(deadlineMs: number) {
  const underWay = new Set<Statement>()
  let timer: NodeJS.Timeout | undefined

  // After a stall of our own the answers lie in their sockets: those are read before anybody is called late.
  const arm = (afterMs: number) => {
    timer = setTimeout(() => setImmediate(look), afterMs).unref()
  }

  function look(): void {
    timer = undefined
    const now = performance.now()
    for (const statement of underWay) {
      const leftMs = statement.since + deadlineMs - now
      if (leftMs > 0) {
        arm(leftMs)
        return
      }
      underWay.delete(statement)
      statement.giveUp(statement.since)
    }
  }

  return {
    begin(giveUp: GiveUp): () => void {
      const statement = { since: performance.now(), giveUp }
      underWay.add(statement)
      if (timer === undefined) arm(deadlineMs)
      return () => void underWay.delete(statement)
    },
    oldestMs(): number {
      for (const { since } of underWay) return performance.now() - since
      return 0
    },
  }
}
