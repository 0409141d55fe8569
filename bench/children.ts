import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { removeFolder } from '@/scripts/tools/temp-folder'

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

const KIB = 1024
let ticksPerSecond: number | undefined

/** CPU time that a process has used so far, user and system, all its threads. Linux only. @returns milliseconds */
export function cpuMs(pid: number): number {
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in the second field may hold spaces; what follows its closing bracket does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])]
  return ((userTicks + systemTicks) * 1000) / ticksPerSecond
}

/**
 * CPU time of the thread that a process began with: the one of Node's event loop. To the nanosecond, where the process's
 * own count goes by hundredths of a second. Linux only.
 *
 * @returns milliseconds
 */
export function mainThreadCpuMs(pid: number): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1_000_000
}

/** Resident memory of a process. Linux only. @returns bytes */
export function residentBytes(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) * KIB
}

export const loopback = (port: number): string => `http://127.0.0.1:${port}`

export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

export type Keep = <T extends { stop: () => Promise<unknown> }>(started: T) => T

/** Opens what `open` starts, and stops all it kept, the last first: when asked to, and when opening fails. */
export async function openAll<T>(open: (keep: Keep) => Promise<T>): Promise<T & { stop: () => Promise<void> }> {
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const end of stops.splice(0)) await end()
  }
  try {
    const opened = await open((started) => {
      stops.unshift(started.stop)
      return started
    })
    return { ...opened, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Opens a bed in a temporary folder and stops it after its use. */
export async function withBed<B extends { stop: () => Promise<unknown> }, T>(
  open: (folder: string) => Promise<B>,
  use: (bed: B, folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-bench-'))
  try {
    const bed = await open(folder)
    try {
      return await use(bed, folder)
    } finally {
      await bed.stop()
    }
  } finally {
    await removeFolder(folder)
  }
}
