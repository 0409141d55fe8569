import 'server-only'
import { writeRequestLine } from '@/lib/kernel/log'
import { metrics } from '@/lib/kernel/metrics'
import type { RequestContext } from '@/lib/kernel/request-context'

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
