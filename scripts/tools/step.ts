import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'

const QUIET_MS = 2_000
const TERMINAL_TICK_MS = 200
const PLAIN_TICK_MS = 10_000
const MAX_END_MS = 5_000
const MAX_OUTPUT_CHARS = 1_000_000

export type StepOptions = {
  env?: Record<string, string | undefined>
  isLoud?: boolean
  isSilent?: boolean
}

export type StepResult = { name: string; isOk: boolean; output: string }
type Outcome = Omit<StepResult, 'name'>

const running = new Map<string, number>()
let ticker: NodeJS.Timeout | undefined
const children = new Set<ChildProcess>()

export const packageBin = (...parts: string[]): string => path.join(process.cwd(), 'node_modules', ...parts)

export async function runStep(
  name: string,
  program: string,
  args: string[],
  options: StepOptions = {},
): Promise<StepResult> {
  return timed(name, options, () => runProgram(program, args, options))
}

export function runTask(name: string, work: () => Promise<unknown>, options: StepOptions = {}): Promise<StepResult> {
  return timed(name, options, async () => {
    try {
      await work()
      return { isOk: true, output: '' }
    } catch (error) {
      return { isOk: false, output: `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n` }
    }
  })
}

/** Runs a program in this terminal and returns its exit code. Signals reach it too: it is in the same group. */
export function runInPlace(program: string, args: string[], env: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...env } })
    children.add(child)
    endStepsOnSignals()
    child.once('error', () => resolve(1))
    child.once('close', (code) => resolve(code ?? 1))
  })
}

export function endStepsOnSignals(): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(signal, () => {
      const ended = [...children].map((child) => new Promise((resolve) => child.once('close', resolve)))
      for (const child of children) child.kill('SIGTERM')
      setTimeout(() => process.exit(code), MAX_END_MS)
      void Promise.all(ended).then(() => process.exit(code))
    })
  }
}

async function timed(name: string, options: StepOptions, work: () => Promise<Outcome>): Promise<StepResult> {
  const startedAt = performance.now()
  running.set(name, startedAt)
  ticker ??= setInterval(tick, process.stderr.isTTY ? TERMINAL_TICK_MS : PLAIN_TICK_MS)
  const result = { name, ...(await work()) }
  running.delete(name)
  if (running.size === 0) {
    clearInterval(ticker)
    ticker = undefined
  }
  const elapsedMs = performance.now() - startedAt
  const isQuiet = options.isSilent && result.isOk && elapsedMs < QUIET_MS
  if (!isQuiet) say(`${result.isOk ? 'ok  ' : 'FAIL'} ${name} (${seconds(elapsedMs)})`)
  if (!result.isOk && !options.isLoud) process.stderr.write(result.output)
  return result
}

function runProgram(program: string, args: string[], { env, isLoud }: StepOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    const colours = isLoud ? {} : { NO_COLOR: '1', FORCE_COLOR: undefined }
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...colours, ...env },
    })
    children.add(child)
    let output = ''
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-MAX_OUTPUT_CHARS)
      if (isLoud) process.stderr.write(chunk)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    const end = (isOk: boolean) => {
      children.delete(child)
      resolve({ isOk, output })
    }
    child.once('error', (error) => {
      keep(Buffer.from(`${program}: ${error.message}\n`))
      end(false)
    })
    child.once('close', (code) => end(code === 0))
  })
}

function tick(): void {
  const now = performance.now()
  const late = [...running].filter(([, startedAt]) => now - startedAt >= QUIET_MS)
  if (late.length === 0) return
  const line = late.map(([name, startedAt]) => `${name} … ${seconds(now - startedAt)}`).join(', ')
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line} ` : `${line}\n`)
}

function say(line: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}\n` : `${line}\n`)
}

const seconds = (ms: number): string => `${ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`
