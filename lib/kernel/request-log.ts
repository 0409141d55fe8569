import 'server-only'
import pino, { type Logger } from 'pino'
import { config } from '@/lib/kernel/config'
import { BATCH_LINES, BATCH_MS, createLog, openOutput } from '@/lib/kernel/log'
import { metrics } from '@/lib/kernel/metrics'
import { perProcess } from '@/lib/kernel/per-process'
import type { RequestContext } from '@/lib/kernel/request-context'

/** Logs and counts a finished request. Ids and numbers only, never content. */
export function requestFinished(context: RequestContext, route: string, status: number, end = 'finished'): void {
  const seconds = (performance.now() - context.startedAt) / 1000
  const { facts } = context
  const { requests, requestSeconds } = metrics()
  requests.add(1, route, String(status))
  requestSeconds.add(seconds, route)
  const line = {
    id: context.id,
    method: context.method,
    route,
    status,
    ms: Math.round(seconds * 1000),
    client: context.clientAddress,
    end: end === 'finished' ? undefined : end,
    account: facts.accountId,
    key: facts.keyId,
    model: facts.modelId,
    promptTokens: facts.promptTokens,
    completionTokens: facts.completionTokens,
    chargedNanoUsd: facts.chargedUsd?.toString(),
    code: facts.error?.code,
  }
  if (status >= 500) writeRequestLine('warn', line, 'request failed')
  else writeRequestLine('info', line, 'request')
}

export function charged(
  model: string,
  currency: string,
  amount: bigint,
  promptTokens: number,
  completionTokens: number,
): void {
  const { chargedNanoUsd, tokens } = metrics()
  chargedNanoUsd.add(Number(amount), currency)
  // Work that is not counted in tokens has no model.
  if (model === '') return
  tokens.add(promptTokens, model, 'input')
  tokens.add(completionTokens, model, 'output')
}

export function engineAsked(engine: string, outcome: 'ok' | 'left' | 'error'): void {
  metrics().engineRequests.add(1, engine, outcome)
}

type Level = 'info' | 'warn'
type Line = { level: Level; facts: Record<string, unknown>; message: string; time: Date }

/**
 * Writes one line of the request log. Its callers name every field, so nothing is redacted.
 * Lines are printed in batches, of which a crash loses the last tenth of a second.
 */
function writeRequestLine(level: Level, facts: Record<string, unknown>, message: string): void {
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

/** Prints lines in batches, at less than half the cost of printing each alone. */
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
