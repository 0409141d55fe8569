import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { Chunks, webResponse } from '@/lib/pipeline/reply'
import type { RouteHandler } from '@/lib/pipeline/route'
import type { RouteModule } from '@/server/api'
import { createApi } from '@/server/api'
import type { Limits } from '@/server/front'
import { createFront, type Front } from '@/server/front'

const fronts: Front[] = []
afterEach(async () => {
  for (const front of fronts.splice(0)) {
    front.destroy()
    await new Promise((resolve) => front.server.close(resolve))
  }
})

const encoder = new TextEncoder()
const missing: RouteHandler = async (request) =>
  webResponse(request, '{"code":"NOT_FOUND"}', { status: 404, headers: {} })

async function mount(
  module: RouteModule,
  limits: Partial<Limits> = {},
): Promise<{ origin: string; port: number; front: Front }> {
  const api = createApi([
    { pattern: ['api', 'v1', 'things'], module },
    { pattern: ['api', 'v1', 'things', '[id]'], module },
    { pattern: ['api', 'v1', '[...path]'], module: { GET: missing, POST: missing, PUT: missing } },
  ])
  const front = createFront({ handlers: { probes: new Map(), api }, host: 'lagoon.test', trustedProxies: 0, limits })
  fronts.push(front)
  front.server.listen(0, '127.0.0.1')
  await once(front.server, 'listening')
  const { port } = front.server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, port, front }
}

async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let reply = ''
  socket.on('data', (chunk) => {
    reply += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  socket.write(text, 'latin1')
  await once(socket, 'close')
  return reply
}

test('a handler gets the request as Next would give it: method, body, query, parameters, the public origin', async () => {
  const { origin } = await mount({
    POST: async (request, { params }) =>
      webResponse(
        request,
        JSON.stringify({
          url: request.url,
          body: JSON.parse(Buffer.from(await request.bytes()).toString()),
          ...(await params),
        }),
        {
          status: 201,
          headers: { 'content-type': 'application/json' },
        },
      ),
  })
  const reply = await fetch(`${origin}/api/v1/things/a%20b?x=1`, { method: 'POST', body: '{"y":2}' })
  expect(reply.status).toBe(201)
  expect(await reply.json()).toEqual({ url: 'http://lagoon.test/api/v1/things/a%20b?x=1', body: { y: 2 }, id: 'a b' })
})

test('the platform keeps its own Request and Response', async () => {
  const before = [globalThis.Request, globalThis.Response]
  await mount({})
  expect([globalThis.Request, globalThis.Response]).toEqual(before)
  expect(new Response('x')).toBeInstanceOf(Response)
})

test.each([
  ['GET', '/api/v1/nothing', 404],
  ['POST', '/api/v1/nothing', 404],
  ['GET', '/api/v9', 404],
  ['PROPFIND', '/api/v1/things', 405],
  ['HEAD', '/api/v1/things', 200],
])('%s %s is %i', async (method, path, status) => {
  const { origin } = await mount({
    GET: async (request) => webResponse(request, 'here', { status: 200, headers: {} }),
    PUT: async (request) => webResponse(request, '{"code":"METHOD_NOT_ALLOWED"}', { status: 405, headers: {} }),
  })
  expect((await fetch(origin + path, { method })).status).toBe(status)
})

test.each([['/api/v1/things/%E0%A4%A'], ['/api/v1/things/%'], ['/api/v1/things/a\\b']])(
  '%s is a 400 in the shape of the API',
  async (path) => {
    const { port } = await mount({ GET: async (request) => webResponse(request, 'here', { status: 200, headers: {} }) })
    const reply = await raw(port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(reply).toMatch(/^HTTP\/1\.1 400 /)
    expect(reply).toContain('"code":"INVALID_REQUEST"')
  },
)

describe('what a handler gets wrong', () => {
  test('a throw is a plain 500 that says nothing of the cause', async () => {
    const { origin } = await mount({
      GET: async () => {
        throw new Error('secret detail')
      },
    })
    const reply = await fetch(`${origin}/api/v1/things`)
    expect(reply.status).toBe(500)
    expect(await reply.text()).not.toContain('secret')
  })

  test('a stream that breaks ends the connection, and says nothing of the cause', async () => {
    const { port, origin } = await mount({
      GET: async (request) => {
        let chunks = 0
        const body = new ReadableStream({
          async pull(controller) {
            await sleep(5)
            if (chunks++ < 2) controller.enqueue(encoder.encode('data\n'))
            else controller.error(new Error('secret detail'))
          },
        })
        return webResponse(request, new Chunks(body, () => {}), { status: 200, headers: {} })
      },
    })
    const reply = await raw(port, 'GET /api/v1/things HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(reply).toContain('data\n')
    expect(reply).not.toContain('secret')
    expect((await fetch(`${origin}/api/v1/nothing`)).status).toBe(404)
  })
})

test('chunks of a stream go out one by one, and a client that leaves ends it', async () => {
  let isCancelled = false
  let isAborted = false
  const { origin } = await mount({
    GET: async (request) => {
      request.signal.addEventListener('abort', () => {
        isAborted = true
      })
      const body = new ReadableStream(
        {
          async pull(controller) {
            await sleep(10)
            controller.enqueue(encoder.encode('data\n'))
          },
          cancel() {
            isCancelled = true
          },
        },
        { highWaterMark: 0 },
      )
      return webResponse(request, new Chunks(body, () => {}), {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
      })
    },
  })
  const leave = new AbortController()
  const reply = await fetch(`${origin}/api/v1/things`, { signal: leave.signal })
  const reader = reply.body!.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('data\n')
  leave.abort()
  await expect.poll(() => [isCancelled, isAborted]).toEqual([true, true])
})

async function readChunks(request: Request): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  const reader = request.body!.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value)
  return Buffer.concat(chunks)
}

async function echo(request: string): Promise<string> {
  const { port } = await mount({
    POST: async (request) => {
      const body = `${request.headers.get('authorization')} ${(await readChunks(request)).toString()}`
      return webResponse(request, body, { status: 200, headers: {} })
    },
  })
  return raw(port, `POST /api/v1/things HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${request}`)
}

test('a body that does not say its length comes whole', async () => {
  const reply = await echo('Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n')
  expect(reply).toMatch(/null abcde$/)
})

test('a header that comes twice is joined, so that no second credential goes unseen', async () => {
  const twice = 'Authorization: Bearer a\r\nAuthorization: Bearer b\r\n'
  expect(await echo(`${twice}Content-Length: 2\r\n\r\nhi`)).toMatch(/Bearer a, Bearer b hi$/)
})

test('a large body that is read chunk by chunk comes whole and in order, however slowly it is read', async () => {
  const sent = Buffer.alloc(3_000_000)
  for (let at = 0; at < sent.length; at += 4) sent.writeUInt32LE(at, at)
  let chunks = 0
  const { origin } = await mount({
    POST: async (request) => {
      const reader = request.body!.getReader()
      let at = 0
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        if (chunks++ % 8 === 0) await sleep(2)
        const isNext = Buffer.from(next.value).equals(sent.subarray(at, at + next.value.length))
        at += isNext ? next.value.length : Number.NaN
      }
      return webResponse(request, String(at), { status: 200, headers: {} })
    },
  })
  const reply = await fetch(`${origin}/api/v1/things`, { method: 'POST', body: sent })
  expect(await reply.text()).toBe('3000000')
  expect(chunks).toBeGreaterThan(10)
})

describe('a reply that is given before the body has come', () => {
  const refusal: RouteHandler = async (request) =>
    webResponse(request, '{"code":"PAYLOAD_TOO_LARGE"}', { status: 413, headers: { connection: 'close' } })
  const body = new Uint8Array(30_000_000)

  test('reaches fetch in the middle of its upload', async () => {
    const { origin } = await mount({ POST: refusal })
    const form = new FormData()
    form.append('file', new File([body], 'a.wav'))
    for (const sent of [body, form]) {
      const reply = await fetch(`${origin}/api/v1/things`, { method: 'POST', body: sent })
      expect(reply.status).toBe(413)
      expect(await reply.json()).toEqual({ code: 'PAYLOAD_TOO_LARGE' })
    }
  })

  test('reaches a client that reads when it has said all', async () => {
    const { port } = await mount({ POST: refusal })
    const socket = connect(port, '127.0.0.1')
    socket.pause()
    socket.write(`POST /api/v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`)
    await new Promise((sent, failed) => {
      socket.once('error', failed)
      socket.write(body, sent)
    })
    let reply = ''
    socket.on('data', (chunk) => {
      reply += chunk.toString('latin1')
    })
    socket.resume()
    await once(socket, 'close')
    expect(reply).toMatch(/^HTTP\/1\.1 413 [\s\S]*PAYLOAD_TOO_LARGE/)
  })

  test('leaves the connection to the next request when the body was small', async () => {
    const { port } = await mount({
      POST: async (request) => webResponse(request, 'no', { status: 401, headers: {} }),
      GET: async (request) => webResponse(request, 'next', { status: 200, headers: { connection: 'close' } }),
    })
    const socket = connect(port, '127.0.0.1')
    let reply = ''
    socket.on('data', (chunk) => {
      reply += chunk.toString('latin1')
    })
    socket.write('POST /api/v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab')
    await expect.poll(() => reply).toMatch(/^HTTP\/1\.1 401 .*no$/s)
    socket.write('cdeGET /api/v1/things HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'close')
    expect(reply).toMatch(/next$/)
  })
})

test('a body that came in pieces before the handler reads it is whole', async () => {
  const arrived = Promise.withResolvers<void>()
  const { port } = await mount({
    POST: async (request) => {
      await arrived.promise
      const body = Buffer.from(await request.bytes()).toString()
      return webResponse(request, body, { status: 200, headers: { connection: 'close' } })
    },
  })
  const socket = connect(port, '127.0.0.1').setNoDelay()
  let reply = ''
  socket.on('data', (chunk) => {
    reply += chunk.toString('latin1')
  })
  socket.write('POST /api/v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n')
  for (const piece of ['abc', 'def', 'ghi']) {
    await sleep(20)
    socket.write(piece)
  }
  await sleep(50)
  arrived.resolve()
  await once(socket, 'close')
  expect(reply).toMatch(/abcdefghi$/)
})

describe('a body that is late', () => {
  test.each(['bytes', 'body'] as const)('is an error for a handler that reads its %s, which answers', async (how) => {
    const { port } = await mount(
      {
        POST: async (request) => {
          const reading = how === 'bytes' ? request.bytes() : readChunks(request)
          const error = await reading.catch((error: Error) => error)
          return webResponse(request, (error as Error).message, { status: 408, headers: { connection: 'close' } })
        },
      },
      { writeStallMs: 100 },
    )
    const socket = connect(port, '127.0.0.1')
    let reply = ''
    socket.on('data', (chunk) => {
      reply += chunk.toString('latin1')
    })
    socket.write('POST /api/v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc')
    await expect.poll(() => reply).toMatch(/^HTTP\/1\.1 408 .*The body is late\.$/s)
    socket.destroy()
  })
})

test('a body that breaks off is an error for the handler', async () => {
  let said = ''
  const { port } = await mount({
    POST: async (request) => {
      await request.bytes().catch((error: Error) => {
        said = error.message
      })
      return webResponse(request, null, { status: 499, headers: {} })
    },
  })
  const socket = connect(port, '127.0.0.1')
  socket.write('POST /api/v1/things HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc')
  await sleep(50)
  socket.destroy()
  await expect.poll(() => said).toBe('The client left.')
})

test('nothing is made for a client that does not read', async () => {
  let made = 0
  const ends: string[] = []
  const { port } = await mount({
    GET: async (request) => {
      async function* flood() {
        while (true) {
          made++
          yield Buffer.alloc(65_536)
        }
      }
      return webResponse(request, new Chunks(flood(), (end) => ends.push(end)), { status: 200, headers: {} })
    },
  })
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.write('GET /api/v1/things HTTP/1.1\r\nHost: a\r\n\r\n')
  await expect.poll(() => made).toBeGreaterThan(0)
  let before: number
  do {
    before = made
    await sleep(200)
  } while (made > before && made < 2_000)
  expect(made).toBeLessThan(2_000)
  socket.destroy()
  await expect.poll(() => ends).toEqual(['left'])
})
