import 'server-only'
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
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

type Named<Label extends string> = { name: string; help: string; labelNames: readonly Label[]; registry: Registry }

const SEPARATOR = '\n'

/**
 * A counter with one or two labels for the request path: prom-client's own sorts and hashes labels on each call, a
 * hundred times the cost of a map. It is copied into prom-client when metrics are read.
 */
export class FastCounter<Label extends string> {
  readonly #counts = new Map<string, number>()

  constructor({ name, help, labelNames, registry }: Named<Label>) {
    const counts = this.#counts
    new Counter<Label>({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset()
        for (const [key, count] of counts) this.inc(labelsOf(labelNames, key), count)
      },
    })
  }

  add(by: number, value: string, second?: string): void {
    const key = second === undefined ? value : value + SEPARATOR + second
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + by)
  }
}

type Times = { counts: number[]; sum: number; count: number }

export class FastHistogram {
  readonly #times = new Map<string, Times>()
  readonly #bounds: readonly number[]

  constructor({ name, help, labelNames, registry, bounds }: Named<string> & { bounds: readonly number[] }) {
    this.#bounds = bounds
    const get = async () => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: this.#values(name, labelNames[0]!),
    })
    // What a registry asks of a metric when it prints it, and nothing else of its class.
    registry.registerMetric({ name, get } as unknown as Metric)
  }

  add(seconds: number, value: string): void {
    let times = this.#times.get(value)
    if (times === undefined) {
      times = { counts: this.#bounds.map(() => 0), sum: 0, count: 0 }
      this.#times.set(value, times)
    }
    times.sum += seconds
    times.count++
    const bucket = this.#bounds.findIndex((bound) => seconds <= bound)
    if (bucket >= 0) times.counts[bucket]! += 1
  }

  #values(name: string, label: string) {
    return [...this.#times].flatMap(([value, { counts, sum, count }]) => {
      const labels = { [label]: value }
      let upTo = 0
      const buckets = counts.map((own, index) => {
        upTo += own
        return { metricName: `${name}_bucket`, labels: { le: String(this.#bounds[index]), ...labels }, value: upTo }
      })
      return [
        ...buckets,
        { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ]
    })
  }
}

function labelsOf<Label extends string>(names: readonly Label[], key: string): Record<Label, string> {
  const values = key.split(SEPARATOR)
  return Object.fromEntries(names.map((name, index) => [name, values[index]!])) as Record<Label, string>
}
