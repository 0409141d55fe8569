import 'server-only'
import pino, { type Logger, type LoggerOptions } from 'pino'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'

const SECRET_PATHS = ['authorization', 'cookie', 'apiKey', 'secret', 'signature', 'token'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
])
const BATCH_LINES = 64
const BATCH_MS = 100
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

type Level = 'info' | 'warn'
type Line = { level: Level; facts: Record<string, unknown>; message: string; time: Date }

/**
 * Writes one line of the request log. Its one caller (kernel/events.ts) names every field, so nothing is redacted.
 * Lines are printed in batches, of which a crash loses the last tenth of a second.
 */
export function writeRequestLine(level: Level, facts: Record<string, unknown>, message: string): void {
  const { logger, write } = perProcess('request-log', createRequestLog)
  if (!logger.isLevelEnabled(level)) return
  if (write) write({ level, facts, message, time: new Date() })
  else logger[level](facts, message)
}

export function printLine({ level, facts, message, time }: Line): string {
  const fields = JSON.stringify(facts).slice(1, -1)
  const end = `${fields && ','}"msg":${JSON.stringify(message)}}\n`
  return `{"level":${pino.levels.values[level]},"time":"${time.toISOString()}",${fields}${end}`
}

function createRequestLog(): { logger: Logger; write?: (line: Line) => void } {
  const logger = createLog({})
  return config().logFormat === 'json' ? { logger, write: inBatches(openOutput({ isSync: false })) } : { logger }
}

export function inBatches(destination: { write(text: string): unknown; flushSync(): void }): (line: Line) => void {
  let lines: Line[] = []
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (lines.length > 0) destination.write(lines.map(printLine).join(''))
    lines = []
  }
  process.once('exit', () => {
    flush()
    try {
      destination.flushSync()
    } catch {
      // The last lines are lost; the process ends as it would have.
    }
  })
  return (line) => {
    if (lines.push(line) === BATCH_LINES) flush()
    else timer ??= setTimeout(flush, BATCH_MS)
  }
}

function createLog(options: LoggerOptions): Logger {
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
