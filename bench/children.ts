import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

/** What a child process can be asked to do, by name. Arguments and results travel as JSON. */
export type Calls = { [name: string]: (input: never) => unknown }

export type Child<C extends Calls> = {
  pid: number
  call: <Name extends keyof C & string>(
    name: Name,
    ...input: Parameters<C[Name]>
  ) => Promise<Awaited<ReturnType<C[Name]>>>
  stop: () => Promise<void>
}

type Question = { id: number; name: string; input: unknown }
type Answer = { id: number; result?: unknown; error?: string }

const STOP_TIMEOUT_MS = 5_000

/** Answers the parent's calls, and ends with it. Called by the program that runs in a child. */
export function serveParent(calls: Calls): void {
  process.on('message', async ({ id, name, input }: Question) => {
    try {
      const call = calls[name] as (input: unknown) => unknown
      process.send?.({ id, result: await call(input) } satisfies Answer)
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  process.once('disconnect', () => process.exit())
}

export type ChildOptions = {
  environment?: Record<string, string | undefined>
  /** Where its output goes; left out, to ours. */
  logFile?: string
}

/** Starts `bench/<name>.ts` as a process of its own. Ready when its first call is answered. */
export async function startChild<C extends Calls>(name: string, options: ChildOptions = {}): Promise<Child<C>> {
  const program = await bundle(name)
  const log = options.logFile === undefined ? 'inherit' : openSync(options.logFile, 'a')
  const child = spawn(process.execPath, ['--enable-source-maps', program], {
    stdio: ['ignore', log, log, 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...options.environment },
  })
  if (log !== 'inherit') closeSync(log)
  await once(child, 'spawn')
  const waiting = new Map<number, (answer: Answer) => void>()
  let lastId = 0
  child.on('message', (answer: Answer) => {
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  child.once('exit', (code, signal) => {
    for (const [id, settle] of waiting) settle({ id, error: `${name} ended (${signal ?? code})` })
    waiting.clear()
  })

  async function call(called: string, input?: unknown): Promise<unknown> {
    if (!child.connected) throw new Error(`${name} has ended`)
    const id = ++lastId
    const answer = await new Promise<Answer>((resolve) => {
      waiting.set(id, resolve)
      child.send({ id, name: called, input } satisfies Question)
    })
    if (answer.error !== undefined) throw new Error(`${name}.${called}: ${answer.error}`)
    return answer.result
  }

  return { pid: child.pid!, call: call as Child<C>['call'], stop: () => stopProcess(child) }
}

/** Ends a process: asks first, and does not wait for ever. */
export async function stopProcess(child: ChildProcess, timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  await ended
  clearTimeout(timer)
}

export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function bundle(name: string): Promise<string> {
  const root = process.cwd()
  const outfile = path.join(root, '.cache', 'bench', `${name}.mjs`)
  await build({
    entryPoints: [path.join(root, 'bench', `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    packages: 'external',
    alias: { 'server-only': path.join(root, 'lib', 'kernel', 'empty.ts') },
    tsconfig: path.join(root, 'tsconfig.json'),
    sourcemap: 'linked',
    logLevel: 'error',
  })
  return outfile
}
