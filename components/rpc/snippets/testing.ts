import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import type { RpcCallDraft } from '@/components/rpc/client'

type Recorded = { path: string; authorization: string; calls: RpcCallDraft[]; isBatch: boolean }

export type Recorder = { origin: string; take: () => Recorded[]; stop: () => Promise<void> }

export async function startRecorder(): Promise<Recorder> {
  let recorded: Recorded[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const body = JSON.parse(text) as unknown
    const items = (Array.isArray(body) ? body : [body]) as (RpcCallDraft & { id: unknown })[]
    recorded.push({
      path: request.url ?? '',
      authorization: request.headers.authorization ?? '',
      calls: items.map(({ method, params }) => ({ method, params })),
      isBatch: Array.isArray(body),
    })
    const replies = items.map(({ id }) => ({ jsonrpc: '2.0', id, result: null }))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(body) ? replies : replies[0]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => {
      const taken = recorded
      recorded = []
      return taken
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

type RunOptions = { cwd?: string; input?: string; variables?: Record<string, string> }

/**
 * Runs a program to its end.
 *
 * @throws Error with what it wrote, when it fails.
 */
export function run(program: string, args: string[], options: RunOptions = {}): Promise<string> {
  const { cwd, input = '', variables = { API_KEY: 'a key' } } = options
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...variables, NODE_OPTIONS: '' }
    const child = spawn(program, args, { ...(cwd !== undefined && { cwd }), env })
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk.toString()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.stdin.end(input)
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${program} ${code}: ${output}`))))
  })
}

// Words that end a quote, start a comment, expand a variable or mean something else than themselves somewhere.
const NASTY = [
  `'`,
  `"`,
  '`',
  '\\',
  '$HOME',
  '$(id)',
  '`id`',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it must arrive as it stands
  '${process.exit(1)}',
  '*/',
  '//',
  '#',
  '!!',
  'JSON',
  '\nJSON\n',
  "'''",
  '"""',
  '\\u0041',
  '\u2028',
  '\u202e',
  '\u0000',
  '\ud800',
  '</script>',
  '@/etc/passwd',
  'é 水 🌊',
  '__proto__',
  'constructor',
  'true',
]

const words = fc
  .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'grapheme', maxLength: 6 })), { maxLength: 3 })
  .map((parts) => parts.join(''))

const numbers = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }))

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    words,
    numbers,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(words, tie('value')), { maxLength: 3 }).map(fromEntries),
  ),
}))

function fromEntries(entries: [string, unknown][]): unknown {
  return JSON.parse(`{${entries.map(([name, item]) => `${JSON.stringify(name)}:${JSON.stringify(item)}`).join()}}`)
}

export const anyParams: fc.Arbitrary<unknown> = fc
  .oneof(fc.array(value, { maxLength: 4 }), fc.array(fc.tuple(words, value), { maxLength: 3 }).map(fromEntries))
  // As it is after a way through JSON: without minus zero, and each field once.
  .map((params) => JSON.parse(JSON.stringify(params)) as unknown)

export const anyCall: fc.Arbitrary<RpcCallDraft> = fc.record({
  method: fc.oneof(fc.constant('eth_call'), words),
  params: anyParams,
})
