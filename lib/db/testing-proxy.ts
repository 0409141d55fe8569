import { once } from 'node:events'
import { createServer, type Socket, connect as tcpConnect } from 'node:net'
import { Client } from 'pg'

export type DatabaseProxy = {
  url: string
  swallow: () => void
  refuse: () => Promise<void>
  restore: () => Promise<void>
  close: () => Promise<void>
}

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

export async function freezePostgres(url: string): Promise<() => void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const backends = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )
  const file = await client.query<{ text: string }>(`select pg_read_file('postmaster.pid') as text`)
  await client.end()
  const pids = [Number.parseInt(file.rows[0]!.text, 10), ...backends.rows.map(({ pid }) => pid)]
  for (const pid of pids) signal(pid, 'SIGSTOP')
  return () => {
    for (const pid of pids) signal(pid, 'SIGCONT')
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
