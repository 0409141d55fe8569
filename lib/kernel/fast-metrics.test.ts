import { Counter, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { FastCounter, FastHistogram } from '@/lib/kernel/metrics'

test('prints what the counter and the histogram of prom-client print', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const count = { name: 'requests_total', help: 'Requests', labelNames: ['route', 'status'] as const }
  const times = { name: 'request_seconds', help: 'Times', labelNames: ['route'] as const }
  const bounds = [0.005, 0.1, 1]
  const tally = new FastCounter({ ...count, registry: ours })
  const timesTally = new FastHistogram({ ...times, bounds, registry: ours })
  const counter = new Counter({ ...count, registers: [theirs] })
  const histogram = new Histogram({ ...times, buckets: bounds, registers: [theirs] })

  expect(await ours.metrics()).toBe(await theirs.metrics())
  const requests = [
    ['/a', 200, 0.005],
    ['/a', 200, 0.02],
    ['/b/:id', 404, 7],
    ['/a', 500, 0.5],
  ] as const
  for (const [route, status, seconds] of requests) {
    tally.add(1, route, String(status))
    timesTally.add(seconds, route)
    counter.inc({ route, status })
    histogram.observe({ route }, seconds)
    // Also in between: asking changes nothing.
    expect(await ours.metrics()).toBe(await theirs.metrics())
  }
})
