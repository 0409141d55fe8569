import { request } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { serveRpc } from '@/sandbox/http'
import { RpcError } from '@/sandbox/json-rpc'

const server = await serveRpc(
  () =>
    ({ method, params }) => {
      if (method === 'fail') throw new RpcError(-32002, 'no', { why: 1 })
      if (method === 'nothing') return undefined
      return params
    },
  [0],
)
afterAll(() => server.close())

const JSON_TYPE = { 'content-type': 'application/json' }
const echo = { jsonrpc: '2.0', id: 7, method: 'echo', params: [1] }

function send(body: string, headers: Record<string, string> = JSON_TYPE, method = 'POST') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const sent = request({ port: server.port, host: '127.0.0.1', method, headers }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode!, headers: response.headers, text })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const reply = async (body: unknown) => JSON.parse((await send(JSON.stringify(body))).text)

test('answers single requests and batches, in their order', async () => {
  expect(await reply(echo)).toEqual({ jsonrpc: '2.0', id: 7, result: [1] })
  expect(await reply([echo, { ...echo, id: 'b', method: 'nothing' }])).toEqual([
    { jsonrpc: '2.0', id: 7, result: [1] },
    { jsonrpc: '2.0', id: 'b', result: null },
  ])
})

test('says what is wrong as JSON-RPC does', async () => {
  expect(await reply({ ...echo, method: 'fail' })).toEqual({
    jsonrpc: '2.0',
    id: 7,
    error: { code: -32002, message: 'no', data: { why: 1 } },
  })
  expect(await reply({ id: 1 })).toMatchObject({ id: null, error: { code: -32600 } })
  expect(await reply([])).toMatchObject({ error: { code: -32600 } })
  expect(await reply(Array.from({ length: 101 }, () => echo))).toMatchObject({ error: { code: -32600 } })
  expect(JSON.parse((await send('{')).text)).toMatchObject({ error: { code: -32700 } })
  expect((await send(' '.repeat(2_200_000))).status).toBe(413)
})

test.each([
  ['a form', { 'content-type': 'text/plain' }, 'POST', 415],
  ['no type', {}, 'POST', 415],
  ['a page of another site', { ...JSON_TYPE, origin: 'https://evil.example' }, 'POST', 403],
  ['a page of this machine', { ...JSON_TYPE, origin: 'http://localhost:3000' }, 'POST', 403],
  ['a file', { ...JSON_TYPE, origin: 'null' }, 'POST', 403],
  ['a name that points here', { ...JSON_TYPE, host: 'evil.example' }, 'POST', 403],
  [
    'the question before a request',
    { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    'OPTIONS',
    405,
  ],
  ['a look', {}, 'GET', 405],
])('%s is refused, and no page may read why', async (_who, headers, method, status) => {
  const answer = await send(method === 'POST' ? JSON.stringify(echo) : '', headers, method)
  expect(answer.status).toBe(status)
  expect(answer.headers['access-control-allow-origin']).toBeUndefined()
})

test.each(['chrome', 'moz', 'safari-web'])('a wallet’s %s extension may ask', async (browser) => {
  const headers = { ...JSON_TYPE, origin: `${browser}-extension://nkbihfbeogaeaoehlefnkodbefgpgknn` }
  expect((await send(JSON.stringify(echo), headers)).status).toBe(200)
})

test('takes the first port that is free', async () => {
  const second = await serveRpc(() => () => 1, [server.port, 0])
  expect(second.port).not.toBe(server.port)
  await second.close()
  await expect(serveRpc(() => () => 1, [server.port])).rejects.toThrow('free')
})
