import 'server-only'
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import { config } from '@/lib/core/config'
import { perProcess } from '@/lib/core/per-process'

/** Names whose values never reach a log, wherever they stand. Prompts and answers are not logged at all. */
const SECRET_PATHS = ['authorization', 'cookie', 'apiKey', 'secret', 'signature', 'token'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
])
/** Request lines are written together: this many bytes, or this many milliseconds. */
const BATCH_BYTES = 8_192
const BATCH_MS = 100

/** The log of this process: structured lines on standard output. */
export function log(): Logger {
  return perProcess('log', () => createLog({ redact: { paths: SECRET_PATHS, censor: '[redacted]' } }))
}

type Level = 'info' | 'warn'

/**
 * One line of the log of requests. Its one writer (core/events.ts) names every field, none of them secret, so nothing is
 * searched for secrets, and lines are printed here, which costs less than the logger's way for any object. They are
 * written in batches, which a crash may cost the last tenth of a second.
 */
export function writeRequestLine(level: Level, facts: Record<string, unknown>, message: string): void {
  const { logger, lines } = perProcess('request-log', createRequestLog)
  if (!logger.isLevelEnabled(level)) return
  if (lines === undefined) logger[level](facts, message)
  else lines.write(asText(Buffer.from(printLine(level, facts, message, new Date()))))
}

/** A line as the logger prints it. */
export function printLine(level: Level, facts: Record<string, unknown>, message: string, time: Date): string {
  return `${JSON.stringify({ level: pino.levels.values[level], time, ...facts, msg: message })}\n`
}

/** `lines`: where printed lines go; nothing where the format is for people. */
function createRequestLog() {
  if (config().logFormat !== 'json') return { logger: createLog({}) }
  // Of text it would measure the whole batch anew with every line.
  const lines = pino.destination({
    sync: false,
    minLength: BATCH_BYTES,
    periodicFlush: BATCH_MS,
    contentMode: 'buffer',
  })
  return { logger: createLog({}, lines), lines }
}

/** What a destination of bytes takes; its types know of text only. */
const asText = (bytes: Buffer): string => bytes as unknown as string

function createLog(options: LoggerOptions, destination?: DestinationStream): Logger {
  const { logLevel, logFormat } = config()
  const all = { ...options, level: logLevel, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }
  if (logFormat === 'json') return destination ? pino(all, destination) : pino(all)
  const target = { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss' } }
  return pino({ ...all, transport: target })
}
