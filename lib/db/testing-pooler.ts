import { type DatabaseProxy, openProxy } from '@/lib/db/testing-proxy'

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
