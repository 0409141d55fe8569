import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  chunk,
  collect,
  DONE,
  type FakeHandler,
  frame,
  PLAIN,
  request,
  sse,
  textOf,
  USAGE,
} from '@/lib/services/engines/upstream/testing/fake-upstream'
import { ANSWER, engineOf, serve, upstream } from '@/lib/services/engines/upstream/testing/serve'

test('streams an answer and its usage, always asking for both', async () => {
  const { fake, engine } = await serve((_, response) => sse(response, PLAIN), { apiKey: 'secret-key' })
  expect(await collect(engine)).toEqual(ANSWER)
  expect(fake.bodies[0]).toMatchObject({ stream: true, stream_options: { include_usage: true }, max_tokens: 100 })
})

test('hands over what came at once as one group', async () => {
  const { engine } = await serve((_, response) => sse(response, PLAIN))
  const sizes: number[] = []
  for await (const batch of engine.streamBatches!(request(), new AbortController().signal)) sizes.push(batch.length)
  expect(sizes).toEqual([ANSWER.length])
})

test('keeps connections for the next requests', async () => {
  const { fake, engine } = await serve((_, response) => sse(response, PLAIN))
  for (let round = 0; round < 10; round++) await collect(engine)
  expect(fake.connections).toBeLessThanOrEqual(2)
})

const PATIENT = { timeouts: { connectMs: 600_000, firstTokenMs: 600_000, idleMs: 600_000 } }

describe('an answer that ends without ceremony', () => {
  const whole: [string, string][] = [
    ['no [DONE]', PLAIN.replace(DONE, '')],
    ['no line feed at the end', PLAIN.slice(0, -2).replace(/\n\ndata: \[DONE\]$/, '')],
    ['carriage returns', PLAIN.replaceAll('\n', '\r\n')],
    ['comments and event lines', `: hi\n\nretry: 5\nevent: message\n${PLAIN}`],
    ['no space after the colon', PLAIN.replaceAll('data: ', 'data:')],
    ['a byte order mark', `\uFEFF${PLAIN}`],
    ['an event over several lines', PLAIN.replace('"object"', '\ndata: "object"')],
    [
      'usage together with content',
      [chunk({ content: 'Hel' }), chunk({ content: 'lo' }, 'stop', { usage: USAGE }), DONE].join(''),
    ],
    [
      'usage in the choice',
      [
        chunk({ content: 'Hel' }),
        frame({ choices: [{ delta: { content: 'lo' }, finish_reason: 'stop', usage: USAGE }] }),
      ].join(''),
    ],
    [
      'usage that grows',
      [
        chunk({ content: 'Hel' }, null, { usage: { prompt_tokens: 7, completion_tokens: 1 } }),
        chunk({ content: 'lo' }, 'stop', { usage: USAGE }),
        frame({ choices: [], usage: null }),
        DONE,
      ].join(''),
    ],
    [
      'a finish reason on every chunk',
      [chunk({ content: 'Hel' }, 'stop'), chunk({ content: 'lo' }, 'stop', { usage: USAGE }), DONE].join(''),
    ],
  ]
  test.each(whole)('%s', async (_, body) => {
    const { engine } = await serve((_, response) => sse(response, body))
    expect(await collect(engine)).toEqual(ANSWER)
  })

  test('no finish reason is a stop', async () => {
    const { engine } = await serve((_, response) => sse(response, chunk({ content: 'Hello' }) + DONE))
    expect(await collect(engine)).toEqual([
      ANSWER[0],
      { type: 'text-delta', choice: 0, text: 'Hello' },
      { type: 'choice-end', choice: 0, reason: 'stop' },
    ])
  })

  test('a connection cut after the finish reason lacks its usage and nothing else', async () => {
    const { engine } = await serve((request, response) => {
      response.writeHead(200).write(chunk({ content: 'Hello' }) + chunk({}, 'stop'))
      setTimeout(() => request.socket.destroy(), 30)
    })
    expect((await collect(engine)).at(-1)).toEqual({ type: 'choice-end', choice: 0, reason: 'stop' })
  })

  test('a stream left open after [DONE] does not keep the reader waiting', async () => {
    // With a finish reason the reader would wait a moment and no longer; without one, [DONE] alone ends it.
    const body = PLAIN.replace(chunk({}, 'stop'), '')
    const { engine } = await serve((_, response) => response.writeHead(200).write(body), PATIENT)
    expect(await collect(engine)).toEqual(ANSWER)
  })

  test('a server that does not stream is read as JSON', async () => {
    const body = {
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'length' }],
      usage: USAGE,
    }
    const { engine } = await serve((_, response) => response.writeHead(200).end(JSON.stringify(body, null, 2)))
    expect(await collect(engine)).toEqual([
      ANSWER[0],
      { type: 'text-delta', choice: 0, text: 'Hello' },
      { type: 'choice-end', choice: 0, reason: 'length' },
      ANSWER[4],
    ])
  })
})

describe('bounds', () => {
  test('an upstream that does not stop is stopped', async () => {
    const { engine } = await serve((_, response) => {
      const line = chunk({ content: 'x'.repeat(1_000) })
      response.writeHead(200)
      const pump = () => {
        while (response.write(line));
      }
      response.on('drain', pump)
      pump()
    })
    const events = await collect(engine, request({ maxTokens: 10 }))
    expect(textOf(events).length).toBeLessThan(100_000)
    expect(events.at(-1)).toEqual({ type: 'choice-end', choice: 0, reason: 'length' })
  })

  test('an upstream that sends nothing useful without end is given up', async () => {
    const { engine } = await serve((_, response) => {
      const line = frame({ choices: [], padding: 'x'.repeat(10_000) })
      response.writeHead(200)
      const pump = () => {
        while (response.write(line));
      }
      response.on('drain', pump)
      pump()
    })
    await expect(collect(engine)).rejects.toMatchObject({ reason: 'failed' })
  })

  test('more requests at a time than allowed are refused, and only those', async () => {
    const { engine } = await serve((_, response) => setTimeout(() => sse(response, PLAIN), 100), { maxInFlight: 2 })
    const results = await Promise.allSettled([collect(engine), collect(engine), collect(engine)])
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(results[2]).toMatchObject({ reason: { reason: 'at-capacity' } })
    expect(textOf(await collect(engine))).toBe('Hello')
  })

  test('a reader that stalls does not make us read ahead without bound', async () => {
    let written = 0
    const { engine } = await serve((_, response) => {
      const line = chunk({ content: 'x'.repeat(1_000) })
      response.writeHead(200)
      const timer = setInterval(() => {
        while (!response.writableNeedDrain && written < 200_000_000) {
          response.write(line)
          written += line.length
        }
      }, 5)
      response.on('close', () => clearInterval(timer))
    })
    const stream = engine
      .stream(request({ maxTokens: 10_000_000 }), new AbortController().signal)
      [Symbol.asyncIterator]()
    await stream.next()
    await new Promise((resolve) => setTimeout(resolve, 400))
    // What stays unread fills the sockets' own buffers, some megabytes on loopback.
    expect(written).toBeLessThan(30_000_000)
    await stream.return?.()
  })
})

describe('leaving', () => {
  async function leave(handler: (response: Parameters<FakeHandler>[1]) => void, untilText: boolean): Promise<void> {
    const closed = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const { engine } = await serve((_, response) => {
      response.on('close', closed.resolve)
      handler(response)
      asked.resolve()
    }, PATIENT)
    const controller = new AbortController()
    const stream = engine.stream(request(), controller.signal)[Symbol.asyncIterator]()
    const first = stream.next()
    await asked.promise
    if (untilText) while ((await stream.next()).value?.type !== 'text-delta');
    const rest = untilText ? stream.next() : first
    controller.abort()
    await expect(rest).rejects.toMatchObject({ name: 'AbortError' })
    await closed.promise
  }

  test('in mid-answer ends the upstream', async () => {
    await leave((response) => response.writeHead(200).write(chunk({ content: 'Hel' })), true)
  })

  test('while headers are awaited ends the upstream', async () => {
    await leave(() => {}, false)
  })

  test('by giving up the iteration ends the upstream too', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const { engine } = await serve((_, response) => {
      response.on('close', () => resolve())
      response.writeHead(200).write(chunk({ content: 'Hel' }))
    }, PATIENT)
    for await (const event of engine.stream(request(), new AbortController().signal)) {
      if (event.type === 'text-delta') break
    }
    await closed
  })
})

test('requests with one cache key go to one base URL, others spread', async () => {
  const hits = [0, 0, 0]
  const fakes = await Promise.all(
    hits.map((_, index) =>
      upstream((_, response) => {
        hits[index]! += 1
        sse(response, PLAIN)
      }),
    ),
  )
  const engine = engineOf(fakes.map((fake) => fake.baseUrl))
  for (let round = 0; round < 6; round++) await collect(engine, request({ cacheKey: 'account:chat-1' }))
  expect(hits.toSorted()).toEqual([0, 0, 6])
  for (let key = 0; key < 30; key++) await collect(engine, request({ cacheKey: `account:chat-${key}` }))
  expect(hits.every((count) => count > 0)).toBe(true)
})

describe('prompt log probabilities', () => {
  const wanted = request({ promptLogprobs: { top: 20 } })
  const whole = (logprobs: unknown) =>
    JSON.stringify({
      choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }],
      usage: USAGE,
      prompt_logprobs: logprobs,
    })
  const told = async (body: string) => {
    const { engine } = await serve((_, response) => response.end(body), { promptLogprobs: true })
    const events = await collect(engine, wanted)
    expect(textOf(events)).toBe('Hello')
    return events.filter((event) => event.type === 'prompt-logprobs')
  }

  test('are not asked of a server that does not report them', async () => {
    const { fake, engine } = await serve((_, response) => sse(response, PLAIN))
    expect(await collect(engine, wanted)).toEqual(ANSWER)
    expect(fake.bodies[0]).toMatchObject({ stream: true })
    expect(fake.bodies[0]).not.toHaveProperty('prompt_logprobs')
  })

  test('may be megabytes on one line', async () => {
    const token = Object.fromEntries(
      Array.from({ length: 21 }, (_, index) => [
        100_000 + index,
        { logprob: -1.25, rank: index, decoded_token: ' tide' },
      ]),
    )
    const logprobs = [null, ...Array.from({ length: 4_000 }, () => token)]
    expect(await told(whole(logprobs))).toEqual([{ type: 'prompt-logprobs', logprobs }])
  })

  test.each([
    ['no list', { a: 1 }],
    ['text', 'x'],
    ['nested without end', JSON.parse('['.repeat(1_000) + ']'.repeat(1_000))],
  ])('that are %s are none', async (_, logprobs) => {
    expect(await told(whole(logprobs))).toEqual([])
  })

  test('may come after the deadline of a first token', async () => {
    const { engine } = await serve(
      async (_, response) => {
        await sleep(400)
        response.end(whole([null]))
      },
      { promptLogprobs: true, timeouts: { connectMs: 500, firstTokenMs: 50, idleMs: 50 } },
    )
    expect(textOf(await collect(engine, wanted))).toBe('Hello')
  })
})
