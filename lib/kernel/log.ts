import 'server-only'
import pino, { type Logger, type LoggerOptions } from 'pino'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'

/** Names whose values never reach a log, wherever they stand. Prompts and answers are not logged at all. */
const SECRET_PATHS = ['authorization', 'cookie', 'apiKey', 'secret', 'signature', 'token'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
])
/** Request lines are printed and written together: when there are so many, or after so many milliseconds. */
const BATCH_LINES = 64
const BATCH_MS = 100
/** Of lines that cannot be written at the moment; beyond it new ones are dropped. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

/** The log of this process: structured lines on standard output. */
export function log(): Logger {
  return perProcess('log', () => {
    // What libraries print meets the same full disk as our own lines.
    for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
    return createLog({ redact: { paths: SECRET_PATHS, censor: '[redacted]' } })
  })
}

/**
 * Opens standard output for lines. Where they cannot be written, as on a full disk, they wait, and the service goes on:
 * without a listener such an error ends the process.
 */
export function openOutput(options: { isSync: boolean; fd?: number }) {
  const output = pino.destination({ sync: options.isSync, fd: options.fd ?? 1, maxLength: MAX_WAITING_BYTES })
  output.on('error', () => {})
  return output
}

type Level = 'info' | 'warn'
type Line = { level: Level; facts: Record<string, unknown>; message: string; time: Date }

/**
 * One line of the log of requests. Its one writer (core/events.ts) names every field, none of them secret, so nothing is
 * searched for secrets, and lines are printed here, which costs less than the logger's way for any object. They are
 * printed in batches, which a crash may cost the last tenth of a second.
 */
export function writeRequestLine(level: Level, facts: Record<string, unknown>, message: string): void {
  const { logger, write } = perProcess('request-log', createRequestLog)
  if (!logger.isLevelEnabled(level)) return
  if (write) write({ level, facts, message, time: new Date() })
  else logger[level](facts, message)
}

/** A line as the logger prints it. */
export function printLine({ level, facts, message, time }: Line): string {
  const fields = JSON.stringify(facts).slice(1, -1)
  const end = `${fields && ','}"msg":${JSON.stringify(message)}}\n`
  return `{"level":${pino.levels.values[level]},"time":"${time.toISOString()}",${fields}${end}`
}

/** `write`: takes lines to print; nothing where the format is for people. */
function createRequestLog(): { logger: Logger; write?: (line: Line) => void } {
  const logger = createLog({})
  return config().logFormat === 'json' ? { logger, write: inBatches(openOutput({ isSync: false })) } : { logger }
}

/** Prints lines by the dozen: one after the other they cost less than half of what each costs alone. */
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
