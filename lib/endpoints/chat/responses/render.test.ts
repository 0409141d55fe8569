import { afterEach, expect, test, vi } from 'vitest'
import { KEEP_ALIVE_MS, SSE_PING } from '@/lib/endpoints/chat/render'
import { renderResponse } from '@/lib/endpoints/chat/responses/render'
import { readEvents } from '@/lib/endpoints/chat/responses/testing/reader'
import { ends, RECEIPT, runOf, text, workOf } from '@/lib/endpoints/chat/responses/testing/work'
import type { AnswerEvent } from '@/lib/endpoints/chat/run'
import type { RequestContext } from '@/lib/kernel/request-context'
import { EngineError } from '@/lib/services/engines/engine'
import type { Meter } from '@/lib/services/ledger/meter'

afterEach(() => void vi.useRealTimers())

const meter = { settle: async () => RECEIPT } as unknown as Meter
const context = { facts: {} } as RequestContext

async function streamed(batches: () => AsyncGenerator<AnswerEvent[]>) {
  const run = { ...runOf(), batches: batches(), signal: new AbortController().signal }
  const reply = await renderResponse(run, { ...workOf(), isStreaming: true }, meter, context)
  return (reply.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
}

const asText = ({ value }: IteratorResult<Uint8Array>): string => Buffer.from(value ?? []).toString()

test('an engine that is silent is bridged by comments, and a failure after them is an event', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let breakOff = (_: Error) => {}
  const silence = new Promise<never>((_, reject) => {
    breakOff = reject
  })
  const begun = streamed(async function* () {
    yield await silence
  })
  await vi.advanceTimersByTimeAsync(KEEP_ALIVE_MS)
  const frames = await begun
  const first = frames.next()
  await vi.advanceTimersByTimeAsync(KEEP_ALIVE_MS)
  expect(asText(await first)).toBe(SSE_PING)
  const rest = frames.next()
  breakOff(new EngineError('timeout', 'The model took too long.'))
  const last = asText(await rest)
  expect(readEvents(last).map(({ type }) => type)).toEqual([
    'response.created',
    'response.in_progress',
    'response.failed',
  ])
  expect(readEvents(last)[2]!.response.error).toEqual({ code: 'REQUEST_TIMEOUT', message: 'The model took too long.' })
  expect(last).toMatch(/data: \[DONE\]\n\n$/)
  expect((await frames.next()).done).toBe(true)
})

test('comments between the events disturb neither them nor their numbers', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let goOn = () => {}
  const pause = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const frames = await streamed(async function* () {
    yield [text('Rain')]
    await pause
    yield [text('.'), ends()]
  })
  let stream = asText(await frames.next())
  const next = frames.next()
  await vi.advanceTimersByTimeAsync(KEEP_ALIVE_MS)
  stream += asText(await next)
  goOn()
  for (let one = await frames.next(); !one.done; one = await frames.next()) stream += asText(one)
  expect(stream).toContain(SSE_PING)
  const events = readEvents(stream)
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
  expect(events.at(-1)).toMatchObject({ response: { status: 'completed', output: [{ content: [{ text: 'Rain.' }] }] } })
})
