import { afterEach, expect, test } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import { look, networkStates } from '@/lib/services/rpc-nodes/health'
import {
  ask,
  captureLog,
  freshCall,
  type Script,
  setOf,
  testNode,
  textOf,
  withNodes,
} from '@/lib/services/rpc-nodes/testing'

const KEY = 'SECRETPATHKEY0123456789'
const SECRETS = [
  KEY,
  'SECRETQUERY',
  'SECRETUSER',
  'SECRETPASSWORD',
  Buffer.from('SECRETUSER:SECRETPASSWORD').toString('base64'),
]
const addressOf = (port: number) => `http://SECRETUSER:SECRETPASSWORD@127.0.0.1:${port}/v2/${KEY}?apikey=SECRETQUERY`

const said: string[] = []
afterEach(() => said.splice(0))

async function everythingOf(script: Script, isBatch = false): Promise<string> {
  const node = await testNode('ethereum-mainnet', script)
  const network = withNodes([addressOf(node.port)])
  const log = captureLog()
  const calls = isBatch
    ? [
        { ...freshCall(), id: '1' },
        { ...freshCall(), id: '2' },
      ]
    : freshCall()
  try {
    const reply = await ask(network, calls)
    said.push(textOf(reply), JSON.stringify(reply))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    said.push(error.message, JSON.stringify(error), String(error.cause), JSON.stringify(error.body) ?? '')
  }
  await look(setOf(network))
  said.push(JSON.stringify((await networkStates()).find(({ slug }) => slug === 'ethereum-mainnet')), log())
  const all = said.join('\n')
  for (const secret of [...SECRETS, `127.0.0.1:${node.port}`]) {
    expect(all.toLowerCase()).not.toContain(secret.toLowerCase())
  }
  return all
}

const mirror = (request: { url?: string; headers: { authorization?: string; host?: string } }) =>
  `no luck at http://${request.headers.host}${request.url?.toUpperCase()} with ${request.headers.authorization}`

test('the node gets its key, and user and password as a header', async () => {
  const seen: (string | undefined)[] = []
  await everythingOf(({ request, answer }) => {
    seen.push(request.url, request.headers.authorization)
    answer()
  })
  expect(seen).toEqual([`/v2/${KEY}?apikey=SECRETQUERY`, `Basic ${SECRETS[4]}`])
})

test('an error of the chain says nothing of the node, and stays an error', async () => {
  const all = await everythingOf(({ request, response }) => {
    const error = { code: -32000, message: mirror(request), data: { url: request.url } }
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))
  })
  expect(all).toContain('no luck at http://(node)/V2/(node)?APIKEY=(node) with')
  expect(all).toContain('"outcome":"error"')
})

test('nor does one of a batch, whose results stay as they are', async () => {
  const all = await everythingOf(({ request, response }) => {
    const error = { code: -32000, message: mirror(request) }
    response.end(`[{"id":1,"result": [1.50, "x"]},{"id":2,"error":${JSON.stringify(error)}}]`)
  }, true)
  expect(all).toContain('{"id":1,"result": [1.50, "x"]},{"id":2,"error":{"code":-32000,"message":"no luck at')
})

test('nor does a refusal', async () => {
  const all = await everythingOf(({ request, response }) => {
    const error = { code: -32600, message: mirror(request) }
    response.writeHead(400).end(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))
  })
  expect(all).toContain('no luck at http://(node)')
})

test.each([400, 401, 403, 404, 429, 500, 502])('nor does a page with status %i', async (status) => {
  await everythingOf(({ request, response }) => response.writeHead(status).end(`<html>${mirror(request)}</html>`))
})

test('nor does a node that is gone, or breaks off', async () => {
  await everythingOf(({ request }) => request.socket.destroy())
  const gone = await testNode()
  await gone.stop()
  const network = withNodes([addressOf(gone.port)])
  const log = captureLog()
  const error = await ask(network, freshCall()).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ApiError)
  const all = `${(error as ApiError).message} ${(error as ApiError).cause} ${log()}`
  expect(log()).toContain('a node did not respond')
  for (const secret of [...SECRETS, '127.0.0.1']) expect(all).not.toContain(secret)
})

test('a result that holds such a text is the caller’s own, and passes untouched', async () => {
  const node = await testNode('ethereum-mainnet', ({ response }) => response.end(`{"id":1,"result":"${KEY}"}`))
  const reply = await ask(withNodes([addressOf(node.port)]), freshCall())
  expect(textOf(reply)).toBe(`{"id":1,"result":"${KEY}"}`)
})
