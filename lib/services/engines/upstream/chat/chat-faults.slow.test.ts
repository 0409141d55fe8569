import { describe, expect, test } from 'vitest'
import type { ChatEvent } from '@/lib/services/engines/engine'
import {
  chunk,
  collect,
  DONE,
  type FakeHandler,
  frame,
  PLAIN,
  request,
  sse,
  startUpstream,
  textOf,
} from '@/lib/services/engines/upstream/testing/fake-upstream'
import { ANSWER, engineOf, serve, upstream } from '@/lib/services/engines/upstream/testing/serve'

describe('what fails before the first event is tried again', () => {
  const failures: [string, FakeHandler][] = [
    ['500', (_, response) => response.writeHead(500).end('oops')],
    ['503', (_, response) => response.writeHead(503).end()],
    ['a reset', (request) => request.socket.destroy()],
    [
      'a reset after the headers',
      (request, response) => {
        response.writeHead(200).flushHeaders()
        setTimeout(() => request.socket.destroy(), 20)
      },
    ],
    ['HTML', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>')],
    ['an empty stream', (_, response) => sse(response, DONE)],
    ['an error event', (_, response) => sse(response, frame({ error: { message: 'CUDA out of memory', code: 500 } }))],
    ['garbage data', (_, response) => sse(response, 'data: {"choices":[{"del\n\n')],
  ]
  test.each(failures)('%s', async (_, fail) => {
    const { fake, engine } = await serve((request, response, call) =>
      call < 3 ? fail(request, response, call) : sse(response, PLAIN),
    )
    expect(await collect(engine)).toEqual([{ type: 'route', router: 'house', retries: 2 }, ...ANSWER.slice(1)])
    expect(fake.bodies).toHaveLength(3)
  })

  test('on another base URL, even when the first refuses connections', async () => {
    const dead = await startUpstream(() => {})
    await dead.close()
    const { fake } = await serve((_, response) => sse(response, PLAIN))
    const engine = engineOf([dead.baseUrl, fake.baseUrl])
    for (let round = 0; round < 6; round++) expect(textOf(await collect(engine))).toBe('Hello')
  })

  test('three times at most', async () => {
    const { fake, engine } = await serve((_, response) => response.writeHead(500).end())
    await expect(collect(engine)).rejects.toMatchObject({ name: 'UpstreamError', reason: 'failed' })
    expect(fake.bodies).toHaveLength(3)
  })
})

describe('what the upstream refuses is told apart', () => {
  const error = (message: string, more: object = {}) => JSON.stringify({ error: { message, ...more } })
  const cases: [string, number, string, object][] = [
    ['context overflow by code', 400, error('no', { code: 'context_length_exceeded' }), { reason: 'context-overflow' }],
    [
      'context overflow by words',
      400,
      error("This model's maximum context length is 4096 tokens"),
      { reason: 'context-overflow' },
    ],
    [
      'context overflow of llama.cpp',
      400,
      error('x', { type: 'exceed_context_size_error' }),
      { reason: 'context-overflow' },
    ],
    [
      'context overflow of TGI',
      422,
      error('x', { message: '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 and 20' }),
      { reason: 'context-overflow', message: expect.stringContaining('Given: 5000') },
    ],
    [
      'context overflow of SGLang',
      400,
      error("The input (33000 tokens) is longer than the model's context length (32768 tokens)."),
      { reason: 'context-overflow', message: expect.stringContaining('33000') },
    ],
    [
      'context overflow as Gemini says it',
      400,
      error('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
      { reason: 'context-overflow' },
    ],
    [
      'context overflow said as a fault of the server',
      500,
      error('the request exceeds the available context size. try increasing it'),
      { reason: 'context-overflow' },
    ],
    ['content policy', 400, error('no', { code: 'content_policy_violation' }), { reason: 'content-policy' }],
    ['moderation', 400, error('no', { code: 'moderation_blocked' }), { reason: 'content-policy' }],
    [
      'a bad request',
      400,
      error('top_k must be at least 0'),
      { reason: 'invalid-request', message: 'The model refused this request: top_k must be at least 0' },
    ],
    [
      'a bad request of FastAPI',
      422,
      JSON.stringify({ detail: [{ msg: 'field required' }] }),
      { reason: 'invalid-request', message: 'The model refused this request.' },
    ],
    [
      'a body that is too large, as a proxy says it',
      413,
      '<html>413 Request Entity Too Large</html>',
      { reason: 'invalid-request', message: expect.stringMatching(/too large.*smaller files/) },
    ],
    [
      'more images than the model takes',
      400,
      error('At most 1 image(s) may be provided in one prompt.'),
      { reason: 'invalid-request', message: expect.stringContaining('At most 1 image(s)') },
    ],
    [
      'a picture for a model that cannot see, said as a fault of the server',
      500,
      error('image input is not supported - hint: you may need to provide the mmproj'),
      { reason: 'invalid-request', message: expect.stringMatching(/does not accept images/) },
    ],
    ['a kind of media', 415, error('unsupported'), { reason: 'invalid-request' }],
    [
      'a wrong key',
      401,
      error('Incorrect API key provided: secret-key'),
      { reason: 'failed', message: 'The model cannot be used at the moment.' },
    ],
    ['an unknown model', 404, error('The model `m` does not exist'), { reason: 'offline' }],
    ['a redirect', 302, '', { reason: 'failed' }],
  ]
  test.each(cases)('%s', async (_, status, body, expected) => {
    const { fake, engine } = await serve((_, response) => response.writeHead(status).end(body))
    await expect(collect(engine, request({ bound: 'firm' }))).rejects.toMatchObject(expected)
    expect(fake.bodies).toHaveLength(1)
  })

  test('429 with the time to come back', async () => {
    const { fake, engine } = await serve((_, response) => response.writeHead(429, { 'retry-after': '7' }).end())
    await expect(collect(engine)).rejects.toMatchObject({ reason: 'overloaded', retryAfterSeconds: 7 })
    expect(fake.bodies).toHaveLength(1)
  })

  test('429 is tried on another base URL', async () => {
    const busy = await upstream((_, response) => response.writeHead(429).end())
    const free = await upstream((_, response) => sse(response, PLAIN))
    const engine = engineOf([busy.baseUrl, free.baseUrl])
    expect(textOf(await collect(engine))).toBe('Hello')
  })

  test('its words never carry our key or address', async () => {
    const { fake, engine } = await serve(
      (request, response) =>
        response
          .writeHead(400)
          .end(error(`bad: ${request.headers.authorization} at http://${request.headers.host}/v1`)),
      { apiKey: 'house-key-123' },
    )
    const failure: Error = await collect(engine).then(
      () => expect.fail('must throw'),
      (thrown) => thrown,
    )
    expect(failure.message).toMatch(/^The model refused this request: bad: /)
    expect(failure.message).not.toContain('house-key-123')
    expect(failure.message).not.toContain(new URL(fake.baseUrl).port)
  })
})

describe('deadlines', () => {
  test('a server that never answers is left at the first-token deadline', async () => {
    // The others are beyond what a test may take.
    const timeouts = { connectMs: 600_000, firstTokenMs: 600, idleMs: 600_000 }
    const { fake, engine } = await serve(() => {}, { timeouts })
    await expect(collect(engine)).rejects.toMatchObject({ reason: 'timeout' })
    expect(fake.bodies).toHaveLength(1)
  })

  test('comments and roles do not count as a first token', async () => {
    const { engine } = await serve((_, response) => {
      response.writeHead(200).write(chunk({ role: 'assistant', content: '' }))
      const timer = setInterval(() => response.write(': ping\n\n'), 50)
      response.on('close', () => clearInterval(timer))
    })
    await expect(collect(engine)).rejects.toMatchObject({ reason: 'timeout' })
  })

  test('a server that falls silent in mid-answer is left at the idle deadline, after what it said', async () => {
    const { engine } = await serve((_, response) => response.writeHead(200).write(chunk({ content: 'Hel' })))
    const events: ChatEvent[] = []
    const run = async () => {
      for await (const event of engine.stream(request(), new AbortController().signal)) events.push(event)
    }
    await expect(run()).rejects.toMatchObject({ reason: 'timeout' })
    expect(textOf(events)).toBe('Hel')
  })

  test('a byte at a time is silence too', async () => {
    const { engine } = await serve((_, response) => {
      response.writeHead(200).write(chunk({ content: 'Hel' }))
      const timer = setInterval(() => response.write('x'), 40)
      response.on('close', () => clearInterval(timer))
    })
    await expect(collect(engine)).rejects.toMatchObject({ reason: 'timeout' })
  })

  test('a slow reader is not the upstream’s silence', async () => {
    const { engine } = await serve((_, response) => {
      response.writeHead(200).write(chunk({ content: 'Hel' }))
      setTimeout(() => response.end(chunk({ content: 'lo' }, 'stop') + DONE), 50)
    })
    const events: ChatEvent[] = []
    for await (const event of engine.stream(request(), new AbortController().signal)) {
      events.push(event)
      await new Promise((resolve) => setTimeout(resolve, 450))
    }
    expect(textOf(events)).toBe('Hello')
  })
})

describe('an answer that breaks', () => {
  const broken: [string, FakeHandler][] = [
    [
      'by a reset',
      (request, response) => {
        response.writeHead(200).write(chunk({ content: 'Hel' }))
        setTimeout(() => request.socket.destroy(), 30)
      },
    ],
    [
      'by an error event',
      (_, response) => sse(response, chunk({ content: 'Hel' }) + frame({ error: { message: 'gone' } })),
    ],
    [
      'by a named error event',
      (_, response) => sse(response, `${chunk({ content: 'Hel' })}event: error\ndata: {"message":"gone"}\n\n`),
    ],
    [
      'by an error line',
      (_, response) => sse(response, `${chunk({ content: 'Hel' })}error: {"code":500,"message":"gone"}\n\n`),
    ],
    ['by an aborted choice', (_, response) => sse(response, chunk({ content: 'Hel' }) + chunk({}, 'abort'))],
    ['within a line', (_, response) => sse(response, `${chunk({ content: 'Hel' })}data: {"choices":[{"delta":{"cont`)],
    [
      'by a line without end',
      (_, response) => sse(response, `${chunk({ content: 'Hel' })}data: {"x":"${'a'.repeat(10_000_000)}"}\n\n`),
    ],
  ]
  test.each(broken)('%s fails after what it said, and is not tried again', async (_, handler) => {
    const { fake, engine } = await serve(handler)
    const events: ChatEvent[] = []
    const run = async () => {
      for await (const event of engine.stream(request(), new AbortController().signal)) events.push(event)
    }
    await expect(run()).rejects.toMatchObject({ reason: 'failed' })
    expect(textOf(events)).toBe('Hel')
    expect(fake.bodies).toHaveLength(1)
  })
})
