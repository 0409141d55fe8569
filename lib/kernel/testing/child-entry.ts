import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { serve } from '../process-pool/child.ts'

export type TestTask =
  | { do: 'echo'; bytes: Uint8Array }
  | { do: 'spin' | 'refuse' | 'throw' | 'environment' | 'exit' | 'reject-later' | 'fill-the-heap' }
  | { do: 'hold' | 'hold-and-spin'; bytes: number }
  | { do: 'die'; by: NodeJS.Signals }
  | { do: 'try'; address: string; file: string }

const held: unknown[] = []

serve<TestTask, unknown, string>(
  async (task) => {
    if (task.do === 'echo') return task.bytes
    if (task.do === 'environment') return { names: Object.keys(process.env).sort(), args: process.argv.slice(3) }
    if (task.do === 'refuse') throw new RangeError('not this')
    if (task.do === 'throw') throw new Error('a secret of the library')
    if (task.do === 'exit') process.exit(3)
    if (task.do === 'die') process.kill(process.pid, task.by)
    if (task.do === 'reject-later') void Promise.reject(new Error('nobody listens'))
    if (task.do === 'hold' || task.do === 'hold-and-spin') held.push(Buffer.alloc(task.bytes, 1))
    if (task.do === 'fill-the-heap') for (;;) held.push(Array.from({ length: 1_000 }, (_, index) => ({ index })))
    if (task.do === 'spin' || task.do === 'hold-and-spin') for (;;);
    if (task.do === 'try') return await succeeding(task)
    return 'done'
  },
  (error) => ({
    reason: error instanceof RangeError ? 'refused' : 'fault',
    message: error instanceof RangeError ? error.message : 'It went wrong.',
    detail: String(error),
  }),
)

async function succeeding({ address, file }: { address: string; file: string }): Promise<string[]> {
  const { hostname, port } = new URL(address)
  const attempts: Record<string, () => unknown> = {
    'read its own code': () => readFileSync(process.argv[1] ?? ''),
    'read a file of the system': () => readFileSync('/etc/passwd'),
    'read what the service keeps': () => readdirSync('data'),
    'read the settings of the service': () => readFileSync('package-lock.json'),
    'write a file': () => writeFileSync(file, 'x'),
    'start a process': () => execFileSync(process.execPath, ['--version']),
    'make code of a string': () => new Function('return 1')(),
    fetch: () => fetch(address),
    'open a WebSocket': () => new WebSocket(address.replace('http', 'ws')),
    'open a socket': () => connect(Number(port), hostname),
    'send a request': () => new Promise((resolve, reject) => get(address, resolve).on('error', reject)),
    'give a thread more rights': async () => {
      const { Worker } = await import('node:worker_threads')
      const thread = new Worker(`require('node:fs').readFileSync('/etc/passwd')`, { eval: true, execArgv: [] })
      await new Promise((resolve, reject) => thread.on('exit', resolve).on('error', reject))
    },
  }
  const done: string[] = []
  for (const [name, attempt] of Object.entries(attempts)) {
    const failed = Symbol('failed')
    const outcome = await Promise.race([Promise.try(attempt).catch(() => failed), sleep(2_000, failed)])
    if (outcome !== failed) done.push(name)
  }
  return done
}
