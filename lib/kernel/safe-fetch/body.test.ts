import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createSafeFetch, type FetchOptions, FetchRefused } from '@/lib/kernel/safe-fetch/safe-fetch'

const MB = 1_048_576
const HEAD = 'HTTP/1.1 200 OK\r\n'
const NOISE = Buffer.alloc(2_000, 'what it is not ')

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function hostile(answer: (socket: Socket) => unknown) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', () => answer(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fetch = createSafeFetch({ resolve: async () => [], allowOrigins: new Set([origin]) })
  return {
    open: () => sockets.size,
    fetch: (options: Partial<FetchOptions> = {}) =>
      fetch(origin, { maxBytes: MB, signal: new AbortController().signal, ...options }),
  }
}
const encoded = (coding: string, body: Buffer) => (socket: Socket) =>
  socket.end(Buffer.concat([Buffer.from(`${HEAD}content-encoding: ${coding}\r\nconnection: close\r\n\r\n`), body]))
async function reasonOf(fetching: Promise<unknown>): Promise<string> {
  const thrown = await fetching.then(
    () => 'nothing',
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(FetchRefused)
  return (thrown as FetchRefused).reason
}

describe('a compressed body', () => {
  const text = Buffer.from('Ebb and flow. '.repeat(1000))

  test.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP, identity', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['identity', text],
  ])('of one layer, %s, is decoded', async (coding, body) => {
    const server = await hostile(encoded(coding, body))
    const { bytes } = await server.fetch()
    expect(Buffer.from(bytes).equals(text)).toBe(true)
  })

  test.each([
    ['of two layers', 'gzip, gzip', gzipSync(gzipSync(text))],
    ['of two layers in two headers', 'gzip\r\ncontent-encoding: br', brotliCompressSync(gzipSync(text))],
    ['of an unknown kind', 'zstd', text],
    ['that is not what it says', 'gzip', text],
    ['that is cut off', 'gzip', gzipSync(text).subarray(0, 40)],
    ['that is not what it says, in Brotli', 'br', NOISE],
    ['that is not what it says, in deflate', 'deflate', NOISE],
  ])('%s is refused', async (_name, coding, body) => {
    const server = await hostile(encoded(coding, body))
    expect(await reasonOf(server.fetch())).toBe('encoding')
    await expect.poll(server.open).toBe(0)
  })

  test.each([
    ['gzip', gzipSync(Buffer.alloc(100 * MB))],
    ['br', brotliCompressSync(Buffer.alloc(100 * MB), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['deflate', deflateSync(Buffer.alloc(100 * MB))],
  ])('that is a bomb in %s is let go before it has grown', async (coding, body) => {
    const server = await hostile(encoded(coding, body))
    const before = process.memoryUsage().rss
    expect(await reasonOf(server.fetch({ maxBytes: 200 * MB }))).toBe('too-large')
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MB)
  })

  test('may not be larger than allowed when it is decoded, at any ratio', async () => {
    const server = await hostile(encoded('gzip', gzipSync(randomBytes(40_000).toString('hex'))))
    expect(await reasonOf(server.fetch({ maxBytes: 79_999 }))).toBe('too-large')
    expect((await server.fetch({ maxBytes: 80_000 })).bytes.length).toBe(80_000)
  })
})

describe('a hostile server', () => {
  test('that never stops is cut off at the bound', async () => {
    let sentBytes = 0
    const server = await hostile((socket) => {
      socket.write(`${HEAD}content-type: text/html\r\n\r\n`)
      const more = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'a'))) sentBytes += 65_536
        sentBytes += 65_536
      }
      socket.on('drain', more)
      more()
    })
    const before = process.memoryUsage().rss
    expect(await reasonOf(server.fetch())).toBe('too-large')
    await expect.poll(server.open).toBe(0)
    expect(sentBytes).toBeLessThan(64 * MB)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MB)
  })

  test('that announces too much is refused unread', async () => {
    const server = await hostile((socket) => socket.write(`${HEAD}content-length: 99999999999\r\n\r\nabc`))
    expect(await reasonOf(server.fetch())).toBe('too-large')
    await expect.poll(server.open).toBe(0)
  })

  test('that sends fewer bytes than it announced is out of reach', async () => {
    const server = await hostile((socket) => socket.end(`${HEAD}content-length: 100\r\n\r\nabc`))
    expect(await reasonOf(server.fetch())).toBe('unreachable')
  })

  test('that sends more bytes than it announced gets no further', async () => {
    const server = await hostile((socket) =>
      socket.write(`${HEAD}content-length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\n\r\nevil`),
    )
    expect(Buffer.from((await server.fetch()).bytes).toString()).toBe('abc')
    await expect.poll(server.open).toBe(0)
  })

  test.each([
    ['speaks no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['says both kinds of length', `${HEAD}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['sends chunks that are none', `${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\nabc`],
    ['sends a head without end', `${HEAD}x: ${'a'.repeat(20_000)}\r\n`],
    ['closes at once', ''],
  ])('that %s is out of reach', async (_name, answer) => {
    const server = await hostile((socket) => socket.end(answer))
    expect(await reasonOf(server.fetch())).toBe('unreachable')
    await expect.poll(server.open).toBe(0)
  })

  test('that resets the connection is out of reach', async () => {
    const server = await hostile((socket) => socket.resetAndDestroy())
    expect(await reasonOf(server.fetch())).toBe('unreachable')
  })

  test.each([
    ['never answers', (_socket: Socket) => {}],
    [
      'answers a little at a time',
      (socket: Socket) => {
        socket.write(`${HEAD}\r\n`)
        const timer = setInterval(() => socket.write('a'), 20)
        socket.on('close', () => clearInterval(timer))
      },
    ],
    [
      'only says that it goes on',
      (socket: Socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20)
        socket.on('close', () => clearInterval(timer))
      },
    ],
    [
      'writes its head a byte at a time',
      (socket: Socket) => {
        socket.write(HEAD)
        const timer = setInterval(() => socket.write('x'), 20)
        socket.on('close', () => clearInterval(timer))
      },
    ],
  ])('that %s is given up when the time is over', async (_name, answer) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    try {
      const asked = Promise.withResolvers<void>()
      const server = await hostile((socket) => {
        answer(socket)
        asked.resolve()
      })
      const failing = reasonOf(server.fetch({ timeoutMs: 300 }))
      await asked.promise
      vi.advanceTimersByTime(299)
      // What the server has said by now may arrive.
      await sleep(50)
      expect(server.open()).toBe(1)
      vi.advanceTimersByTime(1)
      expect(await failing).toBe('timeout')
      await expect.poll(server.open).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test('that is slower than the least speed is given up before the time is over', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const server = await hostile((socket) => socket.write(`${HEAD}\r\n${'a'.repeat(5_000)}`))
      const failing = reasonOf(server.fetch())
      // The stretch begins with the first byte of the body.
      await expect.poll(() => vi.getTimerCount()).toBe(1)
      vi.advanceTimersByTime(5_000)
      expect(await failing).toBe('timeout')
      await expect.poll(server.open).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
