import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { AccountCalls } from '@/bench/accounts'
import { killProcess, startChild, stopProcess } from '@/bench/children'
import { freePort } from '@/scripts/tools/free-port'

/** As scripts/run.mjs starts it: those that it gave to this process. */
const NODE_FLAGS = process.execArgv.filter((flag) => !flag.startsWith('--env-file'))
const SERVER = path.join('dist', 'server.mjs')
const START_TIMEOUT_MS = 60_000
const DRAIN_TIMEOUT_MS = 35_000
const LOG_TAIL_CHARS = 2_000

const run = promisify(execFile)

export type Product = {
  pid: number
  port: number
  root?: string
  environment: NodeJS.ProcessEnv
  stop: () => Promise<void>
  kill: () => Promise<void>
}

export type ProductOptions = {
  logFile: string
  environment: Record<string, string>
  nodeArguments?: string[]
  root?: string
  /** The Node that runs it, instead of our own. */
  node?: string
}

/** Starts the built product as `npm start` does, on a free port of loopback. */
export async function startProduct(options: ProductOptions): Promise<Product> {
  const port = await freePort()
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    PORT: String(port),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    LOG_FORMAT: 'json',
    ...options.environment,
  }
  const log = openSync(options.logFile, 'a')
  const child = spawn(options.node ?? process.execPath, [...NODE_FLAGS, ...(options.nodeArguments ?? []), SERVER], {
    stdio: ['ignore', log, log],
    cwd: options.root,
    env: environment,
  })
  closeSync(log)
  await once(child, 'spawn')
  if (!(await isReady(`http://127.0.0.1:${port}/readyz`, child))) {
    const how = child.exitCode ?? child.signalCode ?? 'it is still at it'
    await stopProcess(child)
    const text = await readFile(options.logFile, 'utf8')
    throw new Error(`The product did not start (${how}):\n${text.slice(-LOG_TAIL_CHARS)}`)
  }
  return {
    pid: child.pid!,
    port,
    root: options.root,
    environment,
    stop: () => stopProcess(child, DRAIN_TIMEOUT_MS),
    kill: () => killProcess(child),
  }
}

/** Runs an admin command as an operator would, beside the running product. @returns what it prints */
export async function admin(
  { environment, root }: Pick<Product, 'environment' | 'root'>,
  ...command: string[]
): Promise<string> {
  // Of the product's own build: a later one would migrate its database.
  const { stdout } = await run(process.execPath, ['scripts/run.mjs', 'admin', ...command], {
    env: environment,
    cwd: root,
  })
  return stdout.trim()
}

/** Makes an account with credit and a key of it. @returns the key */
export async function createKey(product: Product, creditUsd: string): Promise<string> {
  const printed = await admin(product, 'keys', 'create', '--name', 'bench', '--credit', creditUsd)
  return printed.split('\n').at(-1)!
}

/** Makes accounts with credit, each with a key. @returns the keys */
export async function createKeys({ environment }: Product, count: number, creditUsd: string): Promise<string[]> {
  const accounts = await startChild<AccountCalls>('accounts', { environment: { ...environment, LOG_LEVEL: 'silent' } })
  try {
    return await accounts.call('create', { count, creditUsd })
  } finally {
    await accounts.stop()
  }
}

/** Waits until a server answers well. @returns false when it has ended, or takes too long */
export async function isReady(url: string, child: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const answer = await fetch(url).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.ok) return true
    await sleep(100)
  }
  return false
}
