import cluster from 'node:cluster'
import { AggregatorRegistry, type MetricObject } from 'prom-client'
import { z } from 'zod'
import { uuid } from '@/lib/contract/ids'
import { metrics } from '@/lib/kernel/metrics'

/** A worker that does not answer by then is left out. */
const ANSWER_TIMEOUT_MS = 2_000
const TOTAL_TIMEOUT_MS = 3_000

const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('metrics:total'), id: z.string() }),
  z.object({ type: z.literal('metrics:own'), id: z.string() }),
  z.object({ type: z.literal('metrics:own-answer'), id: z.string(), values: z.array(z.unknown()) }),
  z.object({ type: z.literal('metrics:total-answer'), id: z.string(), text: z.string() }),
])
type Message = z.infer<typeof Message>

/**
 * Sums the metrics of all workers whenever one is scraped, since any of them may get the request. Runs in the primary.
 */
export function gatherMetrics(): void {
  const gathering = new Map<string, (values: MetricObject[]) => void>()
  cluster.on('message', async (asking, received) => {
    const message = Message.safeParse(received).data
    if (message?.type === 'metrics:own-answer') gathering.get(message.id)?.(message.values as MetricObject[])
    if (message?.type !== 'metrics:total') return
    const workers = Object.values(cluster.workers ?? {}).flatMap((worker) => (worker?.isConnected() ? [worker] : []))
    const answers = await Promise.all(
      workers.map(async (worker) => {
        const id = uuid()
        const own = new Promise<MetricObject[]>((resolve) => gathering.set(id, resolve))
        worker.send({ type: 'metrics:own', id } satisfies Message)
        return inTime(own, ANSWER_TIMEOUT_MS).finally(() => gathering.delete(id))
      }),
    )
    const known = answers.filter((values) => values !== undefined)
    const text = await AggregatorRegistry.aggregate(known).metrics()
    if (asking.isConnected()) asking.send({ type: 'metrics:total-answer', id: message.id, text } satisfies Message)
  })
}

export function createClusterScrape(refresh: () => Promise<void>): () => Promise<string> {
  const waiting = new Map<string, (text: string) => void>()
  process.on('message', async (received) => {
    const message = Message.safeParse(received).data
    if (message?.type === 'metrics:total-answer') waiting.get(message.id)?.(message.text)
    if (message?.type !== 'metrics:own') return
    await refresh()
    const values = await metrics().registry.getMetricsAsJSON()
    if (process.connected) process.send?.({ type: 'metrics:own-answer', id: message.id, values } satisfies Message)
  })
  return async () => {
    const id = uuid()
    const total = new Promise<string>((resolve) => waiting.set(id, resolve))
    process.send?.({ type: 'metrics:total', id } satisfies Message)
    const text = await inTime(total, TOTAL_TIMEOUT_MS).finally(() => waiting.delete(id))
    if (text === undefined) throw new Error('the primary process did not answer')
    return text
  }
}

function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
