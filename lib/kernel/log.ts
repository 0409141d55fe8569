import 'server-only'
import pino, { type Logger, type LoggerOptions } from 'pino'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'

/** Fields whose values are redacted everywhere. Prompts and answers are never logged. */
const SECRET_PATHS = ['authorization', 'cookie', 'apiKey', 'secret', 'signature', 'token'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
])
export const BATCH_LINES = 64
export const BATCH_MS = 100
/** Lines beyond this that cannot be written are dropped. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

export function log(): Logger {
  return perProcess('log', () => {
    // What libraries print meets the same full disk as our own lines.
    for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
    return createLog({ redact: { paths: SECRET_PATHS, censor: '[redacted]' } })
  })
}

/**
 * Opens standard output. When it cannot be written, as on a full disk, lines wait and the service goes on: without a
 * listener the error would end the process.
 */
export function openOutput(options: { isSync: boolean; fd?: number }) {
  const output = pino.destination({ sync: options.isSync, fd: options.fd ?? 1, maxLength: MAX_WAITING_BYTES })
  output.on('error', () => {})
  return output
}

export function createLog(options: LoggerOptions): Logger {
  const { logLevel, logFormat } = config()
  const all = { ...options, level: logLevel, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }
  if (logFormat === 'json') return pino(all, openOutput({ isSync: true }))
  const target = { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss' } }
  return pino({ ...all, transport: target })
}

const INTERVAL_MS = 1_000
const MAX_NAMES = 256

type Last = { at: number; skipped: number }

/**
 * Logs a fault at most once a second per name, since an outage fails a thousand requests a second. `skipped` counts
 * faults since the last line.
 */
export function logSparingly(name: string, facts: Record<string, unknown>, message: string): void {
  const lines = perProcess('sparing-log', () => new Map<string, Last>())
  const now = performance.now()
  const last = lines.get(name)
  if (last !== undefined && now - last.at < INTERVAL_MS) {
    last.skipped++
    return
  }
  if (last === undefined && lines.size >= MAX_NAMES) lines.clear()
  lines.set(name, { at: now, skipped: 0 })
  log().error(last?.skipped ? { ...facts, skipped: last.skipped } : facts, message)
}
