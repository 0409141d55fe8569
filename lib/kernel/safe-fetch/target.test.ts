import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'
import { expect, test } from 'vitest'
import { createResolve } from '@/lib/kernel/safe-fetch/target'

const NEVER = new AbortController().signal
const TYPE_A = 1
const TYPE_AAAA = 28

async function nameServer(addresses: string[] | undefined) {
  const socket = createSocket('udp4')
  const seen = { queries: 0 }
  socket.on('message', (query, from) => {
    seen.queries++
    if (!addresses) return
    const questionEnd = query.indexOf(0, 12) + 5
    const type = query.readUInt16BE(questionEnd - 4)
    const answers = addresses.filter((address) => (isIPv4(address) ? TYPE_A : TYPE_AAAA) === type)
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(answers.length, 6)
    head.writeUInt16BE(0, 10)
    const records = answers.map((address) => {
      const data = isIPv4(address)
        ? Buffer.from(address.split('.').map(Number))
        : Buffer.from(address.replaceAll(':', ''), 'hex')
      // The name of the question, class IN, a minute to live.
      return Buffer.concat([Buffer.of(0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length), data])
    })
    socket.send(Buffer.concat([head, query.subarray(12, questionEnd), ...records]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { resolve: createResolve([`127.0.0.1:${socket.address().port}`]), seen, close: () => socket.close() }
}

test('gives every address of a name, of both families', async () => {
  const all = ['93.184.216.34', '10.0.0.1', '2606:4700:0000:0000:0000:0000:0000:1111']
  const { resolve, close } = await nameServer(all)
  expect(await resolve('a.example', { isAllowed: false, signal: NEVER })).toEqual([
    { address: '2606:4700::1111', family: 6 },
    { address: '93.184.216.34', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ])
  close()
})

test('one family is enough, and a name without addresses fails', async () => {
  const one = await nameServer(['93.184.216.34'])
  expect(await one.resolve('a.example', { isAllowed: false, signal: NEVER })).toEqual([
    { address: '93.184.216.34', family: 4 },
  ])
  one.close()
  const none = await nameServer([])
  await expect(none.resolve('a.example', { isAllowed: false, signal: NEVER })).rejects.toThrow('ENODATA')
  none.close()
})

test('a silent name server is let go when the caller leaves', async () => {
  const { resolve, seen, close } = await nameServer(undefined)
  const leaving = new AbortController()
  const resolving = resolve('a.example', { isAllowed: false, signal: leaving.signal })
  await expect.poll(() => seen.queries).toBeGreaterThan(0)
  leaving.abort()
  await expect(resolving).rejects.toThrow('ECANCELLED')
  close()
})

test('names of the operator are resolved as this machine does, all others are not', async () => {
  const { resolve, close } = await nameServer([])
  const found = await resolve('localhost', { isAllowed: true, signal: NEVER })
  expect(found.map(({ address }) => address)).toContain('127.0.0.1')
  await expect(resolve('localhost.example', { isAllowed: false, signal: NEVER })).rejects.toThrow()
  close()
})
