import { Client } from 'pg'
import { admin, createKey } from '@/bench/product'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { expect, test } from '@/e2e/testing/contract-test'
import { evmProof, newEvmAccount } from '@/e2e/testing/wallet-stage'
import { type DatabaseProxy, freezePostgres, openProxy } from '@/lib/db/testing-network'
import { startPostgres, type TestPostgres } from '@/scripts/postgres'

/** The built server, while its PostgreSQL fails in every way that networks and servers have. */

const CHAT = { model: 'say', messages: [{ role: 'user', content: 'Hello' }] }
/** What a caller knows of a credential is forgotten by then, so that each request asks the database. */
const FORGOTTEN_MS = 5_500
const METRICS_TOKEN = 'a-token-of-some-length'

let postgres: TestPostgres
let proxy: DatabaseProxy
let stage: Stage
let key: string
let adminKey: string
let cookie: string
const wallet = newEvmAccount()

test.describe.configure({ timeout: 240_000 })
test.beforeAll(async () => {
  postgres = await startPostgres()
  proxy = await openProxy(postgres.url)
  const many = { failedRequests: { count: 1_000 } }
  const variables = { DATABASE_URL: proxy.url, DATABASE_POOL_SIZE: '4', METRICS_TOKEN }
  stage = await openStage(many, variables)
  key = await createKey(stage.product, '5')
  const printed = await admin(stage.product, 'keys', 'create', '--name', 'e2e', '--type', 'admin')
  adminKey = printed.split('\n').at(-1)!
  const session = await fetch(`${stage.origin()}/api/session`, { method: 'POST', headers: { origin: stage.origin() } })
  cookie = session.headers.get('set-cookie')!.split(';')[0]!
})
test.afterAll(async () => {
  await stage?.stop()
  await proxy?.close()
  await postgres?.stop()
})
test.afterEach(async () => {
  await expect(async () => expect(await ready()).toBe(200)).toPass()
  expect((await chat()).status).toBe(200)
  expect((await byPage('/api/session', { method: 'POST' })).status).toBe(200)
})

const ready = async () => (await fetch(`${stage.origin()}/readyz`)).status
const authorization = (of = key) => ({ authorization: `Bearer ${of}` })
const call = (path: string, headers: Record<string, string>) => fetch(`${stage.baseUrl}/${path}`, { headers })
const post = (path: string, headers: Record<string, string>, body: unknown) =>
  fetch(`${stage.baseUrl}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const chat = () => post('chat/completions', authorization(), CHAT)
const byPage = (path: string, options: RequestInit = {}) =>
  fetch(stage.origin() + path, {
    ...options,
    headers: { origin: stage.origin(), 'sec-fetch-site': 'same-origin', cookie },
  })

/** One of each kind of caller and of work. */
function everything(): Record<string, Promise<Response>> {
  return {
    'a chat': chat(),
    'another chat': chat(),
    'a chat that streams': post('chat/completions', authorization(), { ...CHAT, stream: true }),
    models: call('models', authorization()),
    keys: call('api_keys', authorization(adminKey)),
    'the balance of a key': call('billing/balance', authorization(adminKey)),
    usage: call('billing/usage-history', authorization(adminKey)),
    characters: call('characters', authorization()),
    "a wallet's chat": evmProof(stage.baseUrl, wallet).then((proof) =>
      post('chat/completions', { 'sign-in-with-x': proof }, CHAT),
    ),
    "a wallet's balance": evmProof(stage.baseUrl, wallet).then((proof) =>
      call(`x402/balance/${wallet.address}`, { 'sign-in-with-x': proof }),
    ),
    "a page's session": byPage('/api/session'),
    "a new guest's session": fetch(`${stage.origin()}/api/session`, {
      method: 'POST',
      headers: { origin: stage.origin() },
    }),
  }
}

const CHATS = ['a chat', "a wallet's chat"]

/** Nobody hears of a fault of ours, and nobody waits for the database: what cannot be done is 503 with `Retry-After`. */
async function expectPutOff(mustFail: string[]): Promise<void> {
  const startedAt = performance.now()
  const outcomes = await Promise.all(
    Object.entries(everything()).map(async ([name, asked]) => {
      const reply = await asked
      const body = (await reply.json().catch(() => ({}))) as { code?: string }
      const took = Math.round(performance.now() - startedAt)
      return { name, status: reply.status, code: body.code, retry: reply.headers.get('retry-after'), took }
    }),
  )
  test.info().annotations.push({ type: 'took', description: JSON.stringify(outcomes) })
  const failed = outcomes.filter(({ status }) => status >= 400)
  expect(failed.filter(({ status, code, retry }) => status !== 503 || code === undefined || retry === null)).toEqual([])
  expect(failed.map(({ name }) => name)).toEqual(expect.arrayContaining(mustFail))
}

test('connections that a firewall forgot cost one deadline, and then all goes on', async () => {
  await Promise.all(Object.values(everything()))
  proxy.swallow()
  await expectPutOff([])
  expect(await stage.log()).toContain('a database statement got no response')
  const metrics = await fetch(`${stage.origin()}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  expect(await metrics.text()).toMatch(/service_database_failures_total\{code="NO_ANSWER"\} [1-9]/)
})

for (const cache of ['fresh', 'forgotten'] as const) {
  test(`a frozen database puts everybody off who needs it, with credentials ${cache}`, async () => {
    await Promise.all(Object.values(everything()))
    if (cache === 'forgotten') await new Promise((resolve) => setTimeout(resolve, FORGOTTEN_MS))
    const thaw = await freezePostgres(postgres.url)
    try {
      // A chat goes on as long as the process trusts what it leases: two seconds.
      await expectPutOff(cache === 'fresh' ? ["a wallet's chat"] : CHATS)
      await expect(async () => expect(await ready()).toBe(503)).toPass()
    } finally {
      thaw()
    }
  })
}

test('a database that refuses, and cuts what was open, puts everybody off', async () => {
  await new Promise((resolve) => setTimeout(resolve, FORGOTTEN_MS))
  await proxy.refuse()
  try {
    await expectPutOff(CHATS)
    await expect(async () => expect(await ready()).toBe(503)).toPass()
    expect(await stage.log()).toContain('ECONNREFUSED')
  } finally {
    await proxy.restore()
  }
})

test('a database that has become read-only puts off what must write', async () => {
  await new Promise((resolve) => setTimeout(resolve, FORGOTTEN_MS))
  await administer('alter role current_user set default_transaction_read_only = on')
  await reconnect()
  try {
    await expectPutOff(CHATS)
    await expect(async () => expect(await ready()).toBe(503)).toPass()
  } finally {
    await administer('alter role current_user set default_transaction_read_only = off')
    await reconnect()
  }
})

const reconnect = () => proxy.refuse().then(proxy.restore)

async function administer(statement: string): Promise<void> {
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  await client.query('set default_transaction_read_only = off')
  await client.query(statement).finally(() => client.end())
}
