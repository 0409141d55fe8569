import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { ChatEngine } from '@/lib/services/engines/engine'
import type { UpstreamChatOptions } from '@/lib/services/engines/upstream/chat/chat'
import {
  answerIn,
  chunk,
  collect,
  DONE,
  type FakeHandler,
  type FakeUpstream,
  PLAIN,
  request,
  sse,
  textOf,
  USAGE,
  wholeOf,
} from '@/lib/services/engines/upstream/testing/fake-upstream'
import { ANSWER, engineOf, serve, upstream } from '@/lib/services/engines/upstream/testing/serve'

const wanted = request({ isWhole: true })
const WHOLE = [ANSWER[0], { type: 'text-delta', choice: 0, text: 'Hello' }, ...ANSWER.slice(3)]
const UNHURRIED = { connectMs: 600_000, firstTokenMs: 600_000, idleMs: 600_000, wholeMs: 600_000 }

const forms = ({ bodies }: FakeUpstream) => bodies.map(({ stream }) => (stream ? 'stream' : 'whole'))

type Served = { fake: FakeUpstream; engine: ChatEngine }

/** A server that streams well, and answers as given where it is to answer whole. */
async function serveWhole(whole: FakeHandler, options?: Partial<UpstreamChatOptions>): Promise<Served> {
  const served: Served = await serve(
    (request, response, call) =>
      served.fake.bodies[call - 1]!.stream ? sse(response, PLAIN) : whole(request, response, call),
    options,
  )
  return served
}

const inFull: FakeHandler = (_, response) => answerIn({}, response, PLAIN)

test('a whole answer is one body, asked for without a stream', async () => {
  const accepted: unknown[] = []
  const { fake, engine } = await serveWhole((request, response, call) => {
    accepted.push(request.headers.accept)
    return inFull(request, response, call)
  })
  for (let round = 0; round < 10; round++) expect(await collect(engine, wanted)).toEqual(WHOLE)
  expect(fake.bodies[0]).toMatchObject({ stream: false, max_tokens: 100 })
  expect(fake.bodies[0]).not.toHaveProperty('stream_options')
  expect(accepted).toEqual(Array(10).fill('application/json'))
  expect(fake.connections).toBeLessThanOrEqual(2)
})

test('one that is printed over several lines, or after lines that keep the connection alive, is the same', async () => {
  const printed = JSON.stringify(JSON.parse(wholeOf(PLAIN)), null, 2)
  const { engine } = await serveWhole(async (_, response) => {
    response.writeHead(200).write('\n\n')
    await sleep(20)
    response.end(printed)
  })
  expect(await collect(engine, wanted)).toEqual(WHOLE)
})

test('a server that streams all the same is read as it comes', async () => {
  const { engine } = await serveWhole((_, response) => sse(response, PLAIN))
  expect(await collect(engine, wanted)).toEqual(ANSWER)
})

describe('a model is asked for streams from then on', () => {
  const refusal = (message: string): FakeHandler => {
    const body = JSON.stringify({ error: { message } })
    return (_, response) => void response.writeHead(400, { 'content-type': 'application/json' }).end(body)
  }
  const cases: [string, FakeHandler][] = [
    ['refuses', refusal('This model only support stream mode, please enable the stream parameter.')],
    ['refuses in other words', refusal('parameter.enable_thinking must be set to false for non-streaming calls')],
    ['is cut', (_, response) => response.writeHead(200).end(wholeOf(PLAIN).slice(0, -20))],
    [
      'breaks',
      (request, response) => {
        response.writeHead(200, { 'content-length': '5000' }).write(wholeOf(PLAIN).slice(0, -20))
        setTimeout(() => request.socket.destroy(), 20)
      },
    ],
    [
      'answers in HTML',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Hi</html>'),
    ],
    ['says nothing', (_, response) => response.writeHead(200).end('{}')],
    ['is timed out by a proxy', (_, response) => response.writeHead(504).end('<html>Gateway Time-out</html>')],
    ['sends more than fits', (_, response) => response.end(`{"padding":"${'x'.repeat(2_000_000)}"}`)],
  ]
  test.each(cases)('that %s, and this answer comes from one', async (_, whole) => {
    const { fake, engine } = await serveWhole(whole)
    for (let round = 0; round < 3; round++) expect(textOf(await collect(engine, wanted))).toBe('Hello')
    expect(forms(fake)).toEqual(['whole', 'stream', 'stream', 'stream'])
  })

  test('that does not count what it sends whole', async () => {
    const body = JSON.stringify({ ...JSON.parse(wholeOf(PLAIN)), usage: undefined })
    const { fake, engine } = await serveWhole((_, response) => response.end(body))
    expect(await collect(engine, wanted)).toEqual(WHOLE.slice(0, -1))
    expect(await collect(engine, wanted)).toEqual(ANSWER)
    expect(forms(fake)).toEqual(['whole', 'stream'])
  })

  test('that is late, and others of the engine are not', async () => {
    const timeouts = { ...UNHURRIED, wholeMs: 100 }
    const { fake, engine } = await serveWhole(() => {}, { timeouts })
    const late = collect(engine, wanted)
    await expect(late).rejects.toMatchObject({ reason: 'timeout', message: expect.stringContaining('its answer') })
    expect(await collect(engine, wanted)).toEqual(ANSWER)
    await expect(collect(engine, { ...wanted, model: 'other' })).rejects.toMatchObject({ reason: 'timeout' })
    expect(forms(fake)).toEqual(['whole', 'stream', 'whole'])
  })
})

test('a stream that follows a whole answer which broke is not asked for again when it breaks too', async () => {
  const { fake, engine } = await serve((request, response, call) => {
    if (call === 1) return response.writeHead(200).end('{"choices":[')
    response.writeHead(200).write(chunk({ content: 'Hel' }))
    setTimeout(() => request.socket.destroy(), 20)
  })
  await expect(collect(engine, wanted)).rejects.toMatchObject({ reason: 'failed' })
  expect(forms(fake)).toEqual(['whole', 'stream'])
})

test.each([
  ['500', 500, 'failed', 3],
  ['503', 503, 'offline', 3],
  ['429', 429, 'overloaded', 1],
  ['400', 400, 'invalid-request', 1],
] as const)(
  '%s is the same failure as of a stream, tried as often and always whole',
  async (_, status, reason, calls) => {
    const body = JSON.stringify({ error: { message: 'no' } })
    const { fake, engine } = await serve((_, response) => response.writeHead(status).end(body))
    await expect(collect(engine, wanted)).rejects.toMatchObject({ reason })
    expect(forms(fake)).toEqual(Array(calls).fill('whole'))
  },
)

test('an error in the place of an answer is the error, as in a stream', async () => {
  const error = { message: 'Rate limit reached', code: 429 }
  const { engine } = await serveWhole((_, response) => response.end(JSON.stringify({ error })))
  await expect(collect(engine, wanted)).rejects.toMatchObject({ reason: 'overloaded' })
})

test('a dead server is passed over for another', async () => {
  const [broken, sound] = await Promise.all([
    upstream((_, response) => response.writeHead(503).end()),
    upstream(inFull),
  ])
  const engine = engineOf([broken.baseUrl, sound.baseUrl])
  for (let round = 0; round < 4; round++) expect(textOf(await collect(engine, wanted))).toBe('Hello')
  expect(new Set(forms(sound))).toEqual(new Set(['whole']))
})

test('a bound that does not fit is taken back, and the answer is still asked for whole', async () => {
  const { fake, engine } = await serveWhole((request, response, call) =>
    call === 1
      ? response.writeHead(400).end('{"error":"maximum context length is 12"}')
      : inFull(request, response, call),
  )
  expect(await collect(engine, wanted)).toEqual([{ type: 'route', router: 'house', retries: 1 }, ...WHOLE.slice(1)])
  expect(fake.bodies).toMatchObject([{ stream: false, max_tokens: 100 }, { stream: false }])
  expect(fake.bodies[1]).not.toHaveProperty('max_tokens')
})

test('an answer may take longer than a first token and than the pauses of a stream', async () => {
  const timeouts = { connectMs: 500, firstTokenMs: 50, idleMs: 50, wholeMs: 600_000 }
  const { fake, engine } = await serveWhole(
    async (_, response) => {
      await sleep(200)
      const body = wholeOf(PLAIN)
      response.writeHead(200).write(body.slice(0, 50))
      await sleep(200)
      response.end(body.slice(50))
    },
    { timeouts },
  )
  expect(await collect(engine, wanted)).toEqual(WHOLE)
  expect(forms(fake)).toEqual(['whole'])
})

test('an answer beyond the bound is cut as that of a stream, and not counted', async () => {
  const { fake, engine } = await serveWhole((_, response) =>
    answerIn({}, response, chunk({ content: 'x'.repeat(100_000) }, 'stop', { usage: USAGE }) + DONE),
  )
  const events = await collect(engine, request({ isWhole: true, maxTokens: 10 }))
  expect(textOf(events).length).toBe(10 * 8 + 64)
  expect(events.at(-1)).toEqual({ type: 'choice-end', choice: 0, reason: 'length' })
  await collect(engine, wanted)
  expect(forms(fake)).toEqual(['whole', 'stream'])
})

test.each([
  ['before its head', 0],
  ['in the midst of its body', 30],
])('leaving %s ends the upstream', async (_, characters) => {
  const closed = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const { fake, engine } = await serveWhole(
    (_, response) => {
      response.on('close', closed.resolve)
      if (characters > 0) response.writeHead(200).write(wholeOf(PLAIN).slice(0, characters))
      asked.resolve()
    },
    { timeouts: UNHURRIED },
  )
  const controller = new AbortController()
  const answer = collect(engine, wanted, controller.signal)
  await asked.promise
  controller.abort()
  await expect(answer).rejects.toMatchObject({ name: 'AbortError' })
  await closed.promise
  // Whoever leaves says nothing about the server.
  expect(forms(fake)).toEqual(['whole'])
})
