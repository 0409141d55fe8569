import 'server-only'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { FastCounter, FastHistogram } from '@/lib/kernel/fast-metrics'
import { perProcess } from '@/lib/kernel/per-process'

/**
 * Metrics of this process, as `/metrics` prints them. Labels come from our own tables (route pattern, model id), never
 * from a caller.
 */
export function metrics() {
  return perProcess('metrics', createMetrics)
}

function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requests: new FastCounter({
      name: 'service_requests_total',
      help: 'Requests answered, by route and status',
      labelNames: ['route', 'status'],
      registry,
    }),
    requestSeconds: new FastHistogram({
      name: 'service_request_seconds',
      help: 'Time until the reply was complete, by route',
      labelNames: ['route'],
      bounds: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
      registry,
    }),
    tokens: new FastCounter({
      name: 'service_tokens_total',
      help: 'Tokens served, by model and direction',
      labelNames: ['model', 'direction'],
      registry,
    }),
    chargedNanoUsd: new FastCounter({
      name: 'service_charged_nano_usd_total',
      help: 'Money captured, in nano-dollars',
      labelNames: ['currency'],
      registry,
    }),
    ledger: new Gauge({
      name: 'service_ledger',
      help: 'Ledger checks: broken rows by invariant (all must be 0)',
      labelNames: ['check'],
      // Each worker reads the same ledger.
      aggregator: 'max',
      registers,
    }),
    databaseFailures: new FastCounter({
      name: 'service_database_failures_total',
      help: 'Statements and connections that the database did not answer, by SQLSTATE or system error',
      labelNames: ['code'],
      registry,
    }),
    databaseStatementAge: new Gauge({
      name: 'service_database_statement_age_seconds',
      help: 'How long the oldest database statement under way has waited',
      registers,
      aggregator: 'max',
    }),
    connections: new Gauge({ name: 'service_connections', help: 'Open client connections', registers }),
    engineRequests: new FastCounter({
      name: 'service_engine_requests_total',
      help: 'Engine calls, by engine and outcome',
      labelNames: ['engine', 'outcome'],
      registry,
    }),
  }
}
