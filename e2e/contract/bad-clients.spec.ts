import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { residentBytes } from '@/bench/children'
import { expect, test } from '@/e2e/contract/shared-stage'
import { command } from '@/e2e/testing/admin-line'
import { balanceOf, expectNoLeak } from '@/e2e/testing/ask'
import type { Stage } from '@/e2e/testing/contract-stage'
import { COST_NANO } from '@/e2e/testing/contract-upstream'

const MIB = 1024 * 1024
const messages = [{ role: 'user', content: 'Hello' }]
const FIVE = 5_000_000_000n

let stage: Stage
let key: string

test.beforeAll(async ({ shared }) => {
  stage = shared.stage
  key = await stage.newKey()
})

/** A connection on which a test writes what it likes. */
async function open(): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(stage.product.port, '127.0.0.1')
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return { socket, received: () => text }
}

function head(more: Record<string, string | number>): string {
  const headers = { host: 'x', authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /api/v1/chat/completions HTTP/1.1\r\n${lines.join('')}\r\n`
}

test.describe('a body that is too large', () => {
  test('40 MB that are announced: 413 before they are sent', async () => {
    const { socket, received } = await open()
    socket.write(`${head({ 'content-length': 40 * MIB })}{"model":"`)
    await expect.poll(received).toContain('HTTP/1.1 413')
    expect(received()).toContain('PAYLOAD_TOO_LARGE')
    expectNoLeak(received())
    socket.destroy()
  })

  test('40 MB without a length: 413 at the bound, and no more is read', async () => {
    const { socket, received } = await open()
    socket.write(head({ 'transfer-encoding': 'chunked' }))
    const piece = Buffer.concat([Buffer.from(`${MIB.toString(16)}\r\n`), Buffer.alloc(MIB, 'a'), Buffer.from('\r\n')])
    let sent = 0
    while (sent < 60 && !received().includes('413') && !socket.destroyed) {
      sent++
      if (!socket.write(piece)) await Promise.race([once(socket, 'drain').catch(() => undefined), sleep(500)])
    }
    await expect.poll(received).toContain('HTTP/1.1 413')
    expect(sent).toBeGreaterThan(34)
    socket.destroy()
  })
})

test.describe('a client that behaves badly', () => {
  const post = (body: object) => {
    const text = JSON.stringify(body)
    return `${head({ 'content-length': Buffer.byteLength(text) })}${text}`
  }

  test('reads nothing: the upstream is not read on, and memory stays', async () => {
    const flooded = await stage.newKey()
    const { socket } = await open()
    const before = residentBytes(stage.product.pid)
    socket.pause()
    const text = JSON.stringify({ model: 'endless', messages, stream: true })
    socket.write(`${head({ authorization: `Bearer ${flooded}`, 'content-length': Buffer.byteLength(text) })}${text}`)
    await sleep(3_000)
    expect(stage.upstream.streams.running).toBe(1)
    expect(residentBytes(stage.product.pid) - before).toBeLessThan(64 * MIB)
    const { left } = stage.upstream.streams
    socket.destroy()
    await expect.poll(() => stage.upstream.streams.left).toBe(left + 1)
    await sleep(300)
    const { before: rest } = await balanceOf(stage, flooded)
    expect(rest).toBeLessThan(FIVE)
  })

  test('leaves at any point: nothing stays behind', async () => {
    const whole = post({ model: 'slow', messages, stream: true })
    const headEnd = whole.indexOf('\r\n\r\n') + 4
    const leaver = await stage.newKey()
    const leaving = whole.replace(key, leaver)
    const silent = post({ model: 'silent', messages, stream: true }).replace(key, leaver)
    const points: [what: string, text: string, tokens?: number][] = [
      ['before it says anything', ''],
      ['in the request line', leaving.slice(0, 10)],
      ['in the headers', leaving.slice(0, headEnd - 20)],
      ['before the body', leaving.slice(0, headEnd)],
      ['in the body', leaving.slice(0, -10)],
      ['with its last byte', leaving],
      ['before the first byte of the answer', silent],
      ['at the first token', leaving, 1],
      ['in the middle', leaving, 20],
    ]
    for (const [what, text, tokens = 0] of points) {
      await test.step(what, async () => {
        const { socket, received } = await open()
        if (text !== '') socket.write(text)
        await sleep(text === leaving ? 0 : 100)
        await expect.poll(() => received().split('"content":"').length - 1).toBeGreaterThanOrEqual(tokens)
        socket.destroy()
      })
    }
    await expect.poll(() => stage.upstream.streams.running).toBe(0)
    await sleep(500)
    await command(stage.dataDir, 'ledger', 'check')
    expect((await balanceOf(stage, leaver)).before).toBeLessThan(FIVE)
  })

  test('talks nonsense: an answer in JSON, and the connection ends', async () => {
    for (const nonsense of [
      'GARBAGE\r\n\r\n',
      'GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n',
      `GET / HTTP/1.1\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
    ]) {
      const { socket, received } = await open()
      socket.write(nonsense)
      await Promise.race([once(socket, 'close'), sleep(3_000)])
      expect(received()).toMatch(/^HTTP\/1\.1 4\d\d /)
      expectNoLeak(received())
      socket.destroy()
    }
  })

  test('and the next one is served', async () => {
    const next = await stage.newKey()
    const { before, cost } = await balanceOf(stage, next)
    expect(before).toBe(FIVE)
    expect(cost).toBe(COST_NANO)
    const log = await stage.log()
    expect(log).not.toContain('unexpected error')
    expect(log).not.toContain('uncaught')
  })
})
