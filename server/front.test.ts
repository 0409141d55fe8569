import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { expect, test } from 'vitest'
import { CLIENT_ADDRESS_HEADER } from '@/lib/contract/headers'
import { createFront, type Handler, stampClientAddress } from '@/server/front'

const saying =
  (text: string): Handler =>
  (_request, response) =>
    void response.end(text)

test.each([
  ['/healthz', 'probe', 'probe'],
  ['/healthz/more', 'pages', 'pages'],
  ['/api', 'api', 'pages'],
  ['/api/v1/models?x=/healthz', 'api', 'pages'],
  ['/apis', 'pages', 'pages'],
  ['/', 'pages', 'pages'],
])('%s is for the %s, and for the %s where pages answer the API too', async (path, ofBoth, ofPages) => {
  const probes = new Map([['/healthz', saying('probe')]])
  const pages = saying('pages')
  for (const [handlers, expected] of [
    [{ probes, api: saying('api'), pages }, ofBoth],
    [{ probes, pages }, ofPages],
  ] as const) {
    const { server, destroy } = createFront({ handlers, host: 'lagoon.test', trustedProxies: 0 })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
    expect(await reply.text()).toBe(expected)
    destroy()
    await new Promise((resolve) => server.close(resolve))
  }
})

test('what a client writes under our own name is thrown away, in every spelling', () => {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: '203.0.113.7' })
  const request = new IncomingMessage(socket)
  request.rawHeaders = [
    'Host',
    'a',
    'X-Service-Client-Address',
    '1.1.1.1',
    'x-service-client-address',
    '2.2.2.2',
    'Accept',
    '*/*',
  ]

  stampClientAddress(request, 0)

  expect(request.rawHeaders).toEqual(['Host', 'a', 'Accept', '*/*', CLIENT_ADDRESS_HEADER, '203.0.113.7'])
  expect(request.headers[CLIENT_ADDRESS_HEADER]).toBe('203.0.113.7')
})
