import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import { sandboxFile } from '@/lib/services/chains/sandbox'
import type { FromSandbox } from '@/sandbox/main'

const START_TIMEOUT_MS = 30_000
const QUIET_MS = 2_000
const TICK_MS = 5_000
/** Doubled after each failure, until the chains ran for a minute. */
const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 30_000
const HEALTHY_AFTER_MS = 60_000
const STOP_TIMEOUT_MS = 6_000
const NODE_FLAGS = ['--max-old-space-size=512', '--max-semi-space-size=2']
const MAX_OUTPUT_CHARACTERS = 4_000

export type LocalChains = { close: () => Promise<void> }

/** `mayPass`: killed or too slow, so that a retry may succeed. */
type Started =
  | { isReady: true; child: ChildProcess }
  | { isReady: false; message: string; isInUse: boolean; mayPass: boolean }

/**
 * Starts the local chains in a child process and restarts them until closed. Resolves when they run or have failed: the
 * product then starts without a way to pay, logs it, and retries in the background.
 */
export async function startSandbox(
  program: string = path.join(config().root, 'sandbox', 'dist', 'main.mjs'),
): Promise<LocalChains | undefined> {
  if (!config().isSandbox) return undefined
  let current: ChildProcess | undefined
  let retry: NodeJS.Timeout | undefined
  let isClosing = false
  let backoffMs = FIRST_BACKOFF_MS

  const later = () => {
    if (isClosing) return
    retry = setTimeout(() => void restart(), backoffMs)
    retry.unref()
    backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)
  }
  const watch = (child: ChildProcess) => {
    current = child
    const startedAt = performance.now()
    let reason: string | undefined
    child.on('message', (message: FromSandbox) => {
      if (message.type === 'failed') reason = message.message
    })
    const onExit = () => {
      current = undefined
      if (isClosing) return
      if (performance.now() - startedAt > HEALTHY_AFTER_MS) backoffMs = FIRST_BACKOFF_MS
      log().error({ reason, backoffMs }, 'the local chains exited; restarting')
      later()
    }
    if (hasEnded(child)) onExit()
    else child.once('exit', onExit)
  }
  const restart = async () => {
    const started = await attempt(program)
    if (isClosing) {
      if (started.isReady) await end(started.child)
    } else if (started.isReady) {
      log().info('the local chains are running again')
      watch(started.child)
    } else {
      if (!started.isInUse) log().error({ reason: started.message, backoffMs }, 'the local chains could not be started')
      later()
    }
  }

  const first = await sayingSo(attempt(program))
  if (first.isReady) watch(first.child)
  else if (first.isInUse) {
    log().info('using the local chains of another server on this data folder')
    backoffMs = MAX_BACKOFF_MS
    later()
  } else {
    // Where it says that chains run, they do not.
    rmSync(sandboxFile(config().dataDir), { force: true })
    const message = 'the local chains could not be started, so there is no test money: wallets cannot top up here'
    log().warn({ reason: first.message }, message)
    if (first.mayPass) later()
  }
  return {
    async close() {
      isClosing = true
      clearTimeout(retry)
      if (current) await end(current)
    },
  }
}

function attempt(program: string): Promise<Started> {
  if (!existsSync(program)) {
    return Promise.resolve(failed(`${program} is missing: build the product`, { mayPass: false }))
  }
  const folder = path.dirname(sandboxFile(config().dataDir))
  const child = spawn(process.execPath, [...NODE_FLAGS, program, folder], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Out of the terminal's group: Ctrl-C reaches the server alone, which has requests to finish first.
    detached: true,
    windowsHide: true,
    // None of the operator's secrets are its business.
    env: { NODE_ENV: 'production', PARENT_PROCESS_ID: String(process.pid) },
  })
  child.unref()
  const output = lastOutput(child)
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      resolve(failed(`no answer within ${START_TIMEOUT_MS / 1_000} s`, { mayPass: true }))
    }, START_TIMEOUT_MS)
    const settle = (started: Started) => {
      clearTimeout(timer)
      resolve(started)
    }
    child.once('message', (message: FromSandbox) => {
      settle(message.type === 'ready' ? { isReady: true, child } : { ...message, isReady: false, mayPass: false })
    })
    child.once('error', (error) => settle(failed(error.message, { mayPass: false })))
    child.once('exit', (code, signal) => {
      settle(failed(`ended (${signal ?? code}) ${output()}`.trim(), { mayPass: signal !== null }))
    })
  })
}

const failed = (message: string, { mayPass }: { mayPass: boolean }): Started => ({
  isReady: false,
  message,
  isInUse: false,
  mayPass,
})

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  if (child.connected) child.disconnect()
  else child.kill('SIGTERM')
  await ended
  clearTimeout(timer)
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

function lastOutput({ stderr }: ChildProcess): () => string {
  let text = ''
  stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-MAX_OUTPUT_CHARACTERS)
  })
  return () => text
}

async function sayingSo<T>(work: Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const say = () => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    process.stdout.write(`The local chains are starting … ${seconds} s\n`)
  }
  let ticker: NodeJS.Timeout | undefined
  const first = setTimeout(() => {
    say()
    ticker = setInterval(say, TICK_MS)
  }, QUIET_MS)
  try {
    return await work
  } finally {
    clearTimeout(first)
    clearInterval(ticker)
  }
}
