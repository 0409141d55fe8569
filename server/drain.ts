import { setTimeout as sleep } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { log } from '@/lib/kernel/log'
import { shutdown } from '@/lib/kernel/shutdown'

export type DrainTimes = {
  /** Time after readiness is off in which requests are still accepted: the load balancer has to notice first. */
  graceMs: number
  stopAfterMs: number
  cutAfterMs: number
  exitAfterMs: number
}

const DRAIN: DrainTimes = { graceMs: 0, stopAfterMs: 25_000, cutAfterMs: 27_500, exitAfterMs: 29_500 }

/** One keystroke reaches a process several times: from the terminal, from npm and from the start script. */
const SAME_SIGNAL_MS = 750

export type Drainable = {
  drain: () => Promise<void>
  destroy: () => void
  /** Run in this order; a failure does not keep the next from running. */
  closers: readonly { name: string; close: () => unknown }[]
}

/**
 * Shuts the process down: readiness off, after the grace the listener closed, running replies finished or ended,
 * resources closed. Other times count from the end of the grace. Never rejects; the caller exits with the returned
 * code.
 */
export async function drain(target: Drainable, times: Partial<DrainTimes> = {}): Promise<void> {
  const { graceMs, stopAfterMs, cutAfterMs } = { ...DRAIN, ...times }
  const state = shutdown()
  state.isDraining = true
  if (graceMs > 0) await sleep(graceMs)
  const stop = setTimeout(state.stop, stopAfterMs)
  const cut = setTimeout(() => {
    log().warn('some requests did not finish in time and were aborted')
    target.destroy()
  }, cutAfterMs)
  await target.drain()
  clearTimeout(stop)
  clearTimeout(cut)
  // Whoever still waits for this process, such as a timer that reports, hears that it is over.
  state.stop()
  for (const { name, close } of target.closers) {
    try {
      await close()
    } catch (error) {
      log().error({ err: error, closing: name }, 'did not close cleanly')
    }
  }
}

/** Drains on SIGTERM, SIGINT and uncaught faults; calls `reload` on SIGHUP. A second signal exits at once. */
export function drainOnSignals(target: Drainable, reload: () => void, times: Partial<DrainTimes> = {}): void {
  const { graceMs, exitAfterMs } = { ...DRAIN, ...times }
  let firstAt: number | undefined
  const end = (exitCode: number, why: string) => {
    if (firstAt !== undefined) {
      if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(1)
      return
    }
    firstAt = performance.now()
    log().info({ why }, 'stopping; send the signal again to stop immediately')
    setTimeout(() => process.exit(1), graceMs + exitAfterMs).unref()
    void drain(target, times).then(() => process.exit(exitCode))
  }
  process.on('SIGTERM', () => end(0, 'SIGTERM'))
  process.on('SIGINT', () => end(0, 'SIGINT'))
  const hadTerminal = isatty(1)
  process.on('SIGHUP', () => {
    // The same signal says that the terminal went away, and on Windows nothing else.
    if (process.platform === 'win32' || (hadTerminal && !isatty(1))) end(0, 'SIGHUP')
    else reload()
  })
  const fault = (error: unknown) => {
    log().fatal({ err: error }, 'uncaught exception; stopping')
    if (firstAt === undefined) end(1, 'fault')
  }
  process.on('uncaughtException', fault)
  process.on('unhandledRejection', fault)
}
