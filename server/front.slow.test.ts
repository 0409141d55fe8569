import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { createFront, type Front, type FrontOptions, type Handler } from '@/server/front'

const opened: { front: Front; sockets: Socket[] }[] = []

afterEach(async () => {
  for (const { front, sockets } of opened.splice(0)) {
    for (const socket of sockets) socket.destroy()
    front.destroy()
    await new Promise((resolve) => front.server.close(resolve))
  }
})

const echo: Handler = (request, response) => {
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
  })
  // A request that is cut off ends here; what its client was told is what the tests look at.
  request.on('error', () => {})
  request.on('end', () => {
    response.end(JSON.stringify({ url: request.url, host: request.headers.host, headers: request.headers, length }))
  })
}

async function open(handler: Handler, options: Partial<FrontOptions> = {}) {
  const front = createFront({
    handlers: { probes: new Map(), pages: handler },
    host: 'lagoon.test',
    trustedProxies: 0,
    ...options,
    limits: { checkIntervalMs: 20, ...options.limits },
  })
  front.server.listen(0, '127.0.0.1')
  await once(front.server, 'listening')
  const { port } = front.server.address() as AddressInfo
  const entry = { front, sockets: [] as Socket[] }
  opened.push(entry)
  const dial = (text = '') => {
    const socket = connect(port, '127.0.0.1')
    entry.sockets.push(socket)
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.write(text, 'latin1')
    // Not `once` of node:events, which fails with the error of a write that met a closed connection.
    const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received)))
    return { socket, received: () => received, closed }
  }
  return { front, port, origin: `http://127.0.0.1:${port}`, dial }
}

function parse(reply: string) {
  const [head = '', body = ''] = reply.split('\r\n\r\n')
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]),
    head,
    body: JSON.parse(body) as Record<string, unknown>,
  }
}

describe('what is not a proper request', () => {
  test.each([
    ['noise', 'NOT HTTP AT ALL\r\n\r\n', 400],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a line break in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: a\nb\r\n\r\n', 400],
    ['20 KB of headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['a path of 20 KB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ])('%s is answered in the shape of the API, and the connection ends', async (_name, text, status) => {
    const { dial } = await open(echo)
    const reply = parse(await dial(text).closed)
    expect(reply.status).toBe(status)
    expect(reply.body).toEqual({ error: expect.any(String), code: 'INVALID_REQUEST' })
    expect(reply.head).toMatch(/CF-RAY: [0-9a-f]{16}-/)
    expect(reply.head).toMatch(/x-service-version: \d{8}\.\d{6}/)
  })

  test('headers just below the bound pass', async () => {
    const { origin } = await open(echo)
    expect((await fetch(origin, { headers: { 'sign-in-with-x': 'a'.repeat(12_000) } })).status).toBe(200)
  })
})

test('what a browser says of a page counts only under a name of ours', async () => {
  const { dial } = await open(echo, { isOwnHost: (host) => host === 'lagoon.test' })
  const seen = async (host: string) => {
    const request = `GET / HTTP/1.1\r\nHost: ${host}\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n`
    const { headers } = parse(await dial(request).closed).body as { headers: Record<string, string> }
    return headers['sec-fetch-site']
  }
  expect(await seen('lagoon.test')).toBe('same-origin')
  expect(await seen('evil.test')).toBeUndefined()
})

test('the host and the address of the client come from the server, not from the request', async () => {
  const { dial } = await open(echo)
  const lines = [
    'Host: evil.example',
    'X-Forwarded-For: 6.6.6.6',
    'X-Service-Client-Address: 6.6.6.6',
    'Connection: close',
  ]
  const reply = await dial(`GET http://evil.example/path?x=1 HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`).closed
  expect(reply).toContain('"url":"/path?x=1"')
  expect(reply).toContain('"host":"lagoon.test"')
  expect(reply).toContain('"x-service-client-address":"127.0.0.1"')
})

test('behind a proxy the address is the one that the proxy saw', async () => {
  const { origin } = await open(echo, { trustedProxies: 1 })
  const reply = await fetch(origin, { headers: { 'x-forwarded-for': '6.6.6.6, 198.51.100.1' } })
  expect(await reply.json()).toMatchObject({ headers: { 'x-service-client-address': '198.51.100.1' } })
})

describe('what a client leaves unfinished', () => {
  test('headers that do not come are not waited for', async () => {
    const { dial } = await open(echo, { limits: { headersTimeoutMs: 100 } })
    expect(parse(await dial('GET / HTTP/1.1\r\nHost: a\r\n').closed)).toMatchObject({
      status: 408,
      body: { code: 'REQUEST_TIMEOUT' },
    })
  })

  test('a body that trickles is not waited for', async () => {
    const { dial } = await open(echo, { limits: { bodyTimeoutMs: 100, bodyBytesPerSecond: 10_000 } })
    const { socket, received, closed } = dial('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n')
    // What is sent after the answer could undo it on its way.
    const drip = setInterval(() => received() === '' && socket.write('x'), 10)
    const reply = parse(await closed)
    clearInterval(drip)
    expect(reply).toMatchObject({ status: 408, body: { code: 'REQUEST_TIMEOUT' } })
  })

  test('a body that keeps coming has longer', async () => {
    const { dial } = await open(echo, { limits: { bodyTimeoutMs: 200, bodyBytesPerSecond: 100 } })
    const { socket, closed } = dial('POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 20000\r\n\r\n')
    for (let sent = 0; sent < 20; sent++) {
      socket.write('x'.repeat(1000))
      await sleep(20)
    }
    expect(await closed).toContain('"length":20000')
  })

  test('but not for ever', async () => {
    const { dial } = await open(echo, {
      limits: { bodyTimeoutMs: 50, bodyBytesPerSecond: 1_000, uploadTimeoutMs: 200 },
    })
    const { socket, received, closed } = dial('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n')
    const flow = setInterval(() => received() === '' && socket.write('x'.repeat(1000)), 10)
    const reply = parse(await closed)
    clearInterval(flow)
    expect(reply.status).toBe(408)
  })

  test('a body that stops gets the same answer as one that trickles', async () => {
    const { dial } = await open(echo, { limits: { bodyTimeoutMs: 60_000, writeStallMs: 100 } })
    const { closed } = dial('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc')
    expect(parse(await closed)).toMatchObject({ status: 408, body: { code: 'REQUEST_TIMEOUT' } })
  })

  test('a body that has nearly all come may not stall either', async () => {
    const { dial } = await open(echo, { limits: { bodyTimeoutMs: 100, bodyBytesPerSecond: 1, writeStallMs: 60_000 } })
    const { socket, closed } = dial('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20001\r\n\r\n')
    await sleep(20)
    // Over the whole time its pace would be good for hours.
    socket.write('x'.repeat(20_000))
    expect(parse(await closed)).toMatchObject({ status: 408, body: { code: 'REQUEST_TIMEOUT' } })
  })

  test('a reply that nobody reads is cut off, whatever the client asks behind it', async () => {
    let isClosed = false
    const handler: Handler = (request, response) => {
      if (request.url !== '/unread') return
      response.on('close', () => {
        isClosed = true
      })
      response.write(Buffer.alloc(32 * 1024 * 1024))
    }
    const { dial } = await open(handler, { limits: { writeStallMs: 150 } })
    const { socket } = dial('GET /unread HTTP/1.1\r\nHost: a\r\n\r\nGET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
    socket.pause()
    await expect.poll(() => isClosed, { timeout: 4_000 }).toBe(true)
  })

  test('noise behind a request never gets into the reply that is running', async () => {
    const begin: Handler = (request, response) => {
      if (request.url === '/first') response.write('begun')
    }
    const { dial } = await open(begin)
    const requests = 'GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n'
    const { socket, received, closed } = dial(requests)
    await expect.poll(received).toContain('begun')
    socket.write('NOISE\r\n\r\n')
    expect((await closed).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
  })

  test('a reply that nobody reads is cut off, and its handler hears of it', async () => {
    let isClosed = false
    const flood: Handler = (_request, response) => {
      response.on('close', () => {
        isClosed = true
      })
      response.write(Buffer.alloc(32 * 1024 * 1024))
    }
    const { dial } = await open(flood, { limits: { writeStallMs: 150 } })
    const { socket, closed } = dial('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    socket.pause()
    await expect.poll(() => isClosed).toBe(true)
    socket.resume()
    await closed
  })

  test('a reply that takes its time is waited for', async () => {
    const slow: Handler = (_request, response) => {
      setTimeout(() => response.end('late'), 400)
    }
    const { origin } = await open(slow, { limits: { writeStallMs: 100 } })
    expect(await (await fetch(origin)).text()).toBe('late')
  })

  test('a connection that idles is closed', async () => {
    const { dial } = await open(echo, { limits: { keepAliveTimeoutMs: 100, writeStallMs: 60_000 } })
    const { received, closed } = dial('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await expect.poll(received).toContain('"length":0')
    await closed
  })
})

test('an address may have so many connections, and gets more when it closes some', async () => {
  const { dial } = await open(echo, { limits: { connectionsPerAddress: 3 } })
  const held = [dial(), dial(), dial()]
  await Promise.all(held.map(({ socket }) => once(socket, 'connect')))
  expect(parse(await dial().closed)).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT_EXCEEDED' } })

  held[0]!.socket.destroy()
  await held[0]!.closed
  await expect
    .poll(async () => (await dial('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n').closed).slice(0, 12))
    .toBe('HTTP/1.1 200')
})

describe('the end', () => {
  test('a running stream ends whole, idle connections close, new ones are refused', async () => {
    const stream: Handler = async (_request, response) => {
      for (let part = 0; part < 5; part++) {
        response.write(`part ${part};`)
        await sleep(40)
      }
      response.end('end')
    }
    const { front, origin, dial } = await open(stream)
    const idle = dial('')
    await once(idle.socket, 'connect')
    const reply = await fetch(origin)
    const drained = front.drain()

    await expect(fetch(origin)).rejects.toThrow()
    expect(await reply.text()).toBe('part 0;part 1;part 2;part 3;part 4;end')
    idle.socket.destroy()
    await drained
  })

  test('a further request on a connection that is still busy is not taken', async () => {
    const slow: Handler = (_request, response) => {
      setTimeout(() => response.end('late'), 150)
    }
    const { front, dial } = await open(slow)
    const { socket, closed } = dial('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await sleep(50)
    const drained = front.drain()
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const replies = await closed
    expect(replies).toMatch(/^HTTP\/1\.1 200/)
    expect(replies).not.toMatch(/HTTP\/1\.1 200[\s\S]*HTTP\/1\.1 200/)
    await drained
  })
})
