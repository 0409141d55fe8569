import { once } from 'node:events'
import { createServer, type Socket, connect as tcpConnect } from 'node:net'

/** A way to a PostgreSQL server that fails as networks do. */
export type DatabaseProxy = {
  /** The server's address, by way of the proxy. */
  url: string
  /** Connections that are open now stay open, and nothing comes through them any more. New ones work. */
  swallow: () => void
  /** No connection is taken, and those that are open are reset; until `restore`. */
  refuse: () => Promise<void>
  restore: () => Promise<void>
  close: () => Promise<void>
}

/** @param inspect is called for each connection: what it returns sees all that goes to the server, and answers in its place by returning some. */
export async function openProxy(
  target: string,
  inspect?: () => (bytes: Buffer) => Buffer | undefined,
): Promise<DatabaseProxy> {
  const { hostname, port } = new URL(target)
  const pairs = new Set<[Socket, Socket]>()
  const server = createServer((near) => {
    const far = tcpConnect({ host: hostname, port: Number(port) })
    const pair: [Socket, Socket] = [near, far]
    const look = inspect?.()
    pairs.add(pair)
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('error', () => {})
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
    }
    near.on('data', (bytes: Buffer) => {
      const answer = look?.(bytes)
      if (answer === undefined) far.write(bytes)
      else near.end(answer)
    })
    far.on('data', (bytes: Buffer) => near.write(bytes))
  })
  const listen = async (at: number): Promise<number> => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as { port: number }).port
  }
  const reset = () => {
    for (const [near] of pairs) near.resetAndDestroy()
  }
  const own = await listen(0)
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return {
    url: Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(own) }).href,
    swallow() {
      for (const [near, far] of pairs) {
        near.removeAllListeners('data').resume()
        far.removeAllListeners('data').resume()
      }
    },
    async refuse() {
      const stopped = stop()
      reset()
      await stopped
    },
    restore: async () => void (await listen(own)),
    async close() {
      const stopped = server.listening ? stop() : undefined
      reset()
      await stopped
    },
  }
}
