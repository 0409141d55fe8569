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

const KNOWN = new Set(['user', 'database', 'client_encoding', 'application_name', 'replication', 'options'])

export type Pooler = DatabaseProxy & {
  sessionState: string[]
  statements: string[]
}

export async function openPooler(target: string): Promise<Pooler> {
  const sessionState: string[] = []
  const statements: string[] = []
  const proxy = await openProxy(target, () => {
    let rest = Buffer.alloc(0)
    let hasStarted = false
    return (bytes) => {
      rest = Buffer.concat([rest, bytes])
      while (true) {
        const header = hasStarted ? 5 : 4
        if (rest.length < header) return undefined
        const end = rest.readInt32BE(header - 4) + header - 4
        if (rest.length < end) return undefined
        const message = rest.subarray(0, end)
        rest = rest.subarray(end)
        if (hasStarted) note(String.fromCharCode(message[0]!), message.subarray(5))
        else {
          hasStarted = true
          const names = message.subarray(8).toString().split('\0')
          const unknown = names.find((name, at) => at % 2 === 0 && name !== '' && !KNOWN.has(name))
          if (unknown !== undefined) return refusal(`unsupported startup parameter: ${unknown}`)
        }
      }
    }
  })

  function note(type: string, body: Buffer): void {
    if (type !== 'Q' && type !== 'P') return
    const [first = '', second = ''] = body.toString().split('\0')
    const text = type === 'Q' ? first : second
    statements.push(text)
    if (type === 'P' && first !== '') sessionState.push(`prepared statement ${first}`)
    const isOfSession =
      /^\s*(set\s+(?!local|transaction)|reset\s|listen\s|unlisten\s|prepare\s|declare\s|discard\s|load\s)/i.test(
        text,
      ) ||
      /\bpg_(try_)?advisory_(lock|unlock)|\btemp(orary)?\s+(table|sequence|view)|\bset_config\([^)]*false\)/i.test(text)
    if (isOfSession) sessionState.push(text)
  }

  return Object.assign(proxy, { sessionState, statements })
}

function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${message}\0\0`)
  const head = Buffer.alloc(5, 'E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
