import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { endReply, type LingerLimits } from '@/server/refusal'

let server: Server | undefined
afterEach(() => server?.closeAllConnections())
afterEach(() => server?.close())

async function refusing(limits: LingerLimits) {
  let seen: (bytes: number) => void
  const read = new Promise<number>((resolve) => {
    seen = resolve
  })
  server = createServer((request, response) => {
    const { socket } = request
    socket.once('close', () => seen(socket.bytesRead))
    endReply(request, response.writeHead(413, { 'content-length': 2, connection: 'close' }), 'no', limits)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  socket.resume()
  // Not `once` of node:events, which fails with the error of a write that met a closed connection.
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n')
  return { socket, read, closed }
}

const MINUTES = 600_000

test('no more than so many bytes are read for nothing', async () => {
  const { socket, read } = await refusing({ bytes: 1_000_000, totalMs: MINUTES, idleMs: MINUTES })
  socket.write(new Uint8Array(100_000_000))
  expect(await read).toBeLessThan(2_000_000)
})

test('a client that has stopped sending is not waited for', async () => {
  const { socket, read, closed } = await refusing({ bytes: 1_000_000, totalMs: MINUTES, idleMs: 50 })
  socket.write('abc')
  await closed
  expect(await read).toBeLessThan(200)
})

test('nor is one that sends for ever', async () => {
  const { socket, closed } = await refusing({ bytes: 1_000_000, totalMs: 200, idleMs: MINUTES })
  const drip = setInterval(() => socket.write('x'), 10)
  await closed
  clearInterval(drip)
})
