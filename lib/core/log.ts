import 'server-only'
import pino, { type Logger } from 'pino'
import { config } from '@/lib/core/config'

const holder = globalThis as typeof globalThis & { __serviceLog?: Logger }

/** Names whose values never reach a log, wherever they stand. Prompts and answers are not logged at all. */
const SECRET_PATHS = ['authorization', 'cookie', 'apiKey', 'secret', 'signature', 'token'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
])

/** The log of this process: structured lines on standard output. */
export function log(): Logger {
  holder.__serviceLog ??= createLog()
  return holder.__serviceLog
}

function createLog(): Logger {
  const { logLevel, logFormat } = config()
  const options = {
    level: logLevel,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_PATHS, censor: '[redacted]' },
  }
  if (logFormat === 'json') return pino(options)
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss' } },
  })
}
