import { expect, test } from 'vitest'
import { POST as openSession } from '@/app/api/session/route'
import { DELETE, GET } from '@/app/api/shares/[id]/route'
import { POST } from '@/app/api/shares/route'
import { testDatabase } from '@/lib/db/testing'
import { testWallet } from '@/lib/pipeline/testing'
import { createShare, MAX_SHARES, sweepShares } from '@/lib/services/shares/shares'

const database = await testDatabase()
const ORIGIN = 'http://localhost:3000'

async function browser(): Promise<string> {
  const headers = { origin: ORIGIN, ...(await testWallet().signIn()) }
  const opened = await openSession(new Request(`${ORIGIN}/api/session`, { method: 'POST', headers }), {
    params: Promise.resolve({}),
  })
  return opened.headers.get('set-cookie')!.split(';')[0]!
}

const share = (
  cookie: string,
  body: string | Uint8Array<ArrayBuffer>,
  { lifetime = '1h', headers = {} }: { lifetime?: string; headers?: Record<string, string> } = {},
) =>
  POST(
    new Request(`${ORIGIN}/api/shares?lifetime=${lifetime}`, {
      method: 'POST',
      headers: { origin: ORIGIN, cookie, 'content-type': 'application/octet-stream', ...headers },
      body,
    }),
    { params: Promise.resolve({}) },
  )
const on = (handler: typeof GET, method: string, id: string, headers: Record<string, string> = {}) =>
  handler(new Request(`${ORIGIN}/api/shares/${id}`, { method, headers: { origin: ORIGIN, ...headers } }), {
    params: Promise.resolve({ id }),
  })

test('what is shared is read by whoever has its id, as it was sent, and taken back with its secret only', async () => {
  const cookie = await browser()
  const made = await share(cookie, new Uint8Array([1, 2, 255]), { lifetime: '7d' })
  expect(made.status).toBe(201)
  const { id, secret, expiresAt } = await made.json()
  expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)

  const read = await on(GET, 'GET', id)
  expect(read.status).toBe(200)
  expect(read.headers.get('content-type')).toBe('application/octet-stream')
  expect(read.headers.get('cache-control')).toBe('no-store')
  expect([...new Uint8Array(await read.arrayBuffer())]).toEqual([1, 2, 255])

  expect((await on(DELETE, 'DELETE', id)).status).toBe(404)
  expect((await on(DELETE, 'DELETE', id, { 'x-share-secret': 'f'.repeat(32) })).status).toBe(404)
  expect((await on(DELETE, 'DELETE', id, { 'x-share-secret': secret })).status).toBe(200)
  expect((await on(GET, 'GET', id)).status).toBe(404)
})

test('the secret is not in the database', async () => {
  const { secret } = await (await share(await browser(), 'x')).json()
  const [row] = await database.query<{ all: string }>(`select string_agg(s::text, '') as all from share s`)
  expect(row?.all).not.toContain(secret)
})

test('a link that is over is not read any more, and swept', async () => {
  const { id } = await (await share(await browser(), 'x')).json()
  await database.query(`update share set expires_at = now() - interval '1 second' where id = $1`, [id])
  expect((await on(GET, 'GET', id)).status).toBe(404)
  expect(await sweepShares()).toBeGreaterThan(0)
  expect(await database.query('select 1 from share where id = $1', [id])).toEqual([])
})

test('a share takes a session, our own page, a known lifetime, and no more than two megabytes', async () => {
  const cookie = await browser()
  expect((await share('', 'x')).status).toBe(401)
  expect((await share(cookie, 'x', { headers: { origin: 'https://evil.example' } })).status).toBe(401)
  expect((await share(cookie, 'x', { lifetime: '99y' })).status).toBe(400)
  expect((await share(cookie, '')).status).toBe(400)
  expect((await share(cookie, 'x', { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
  expect((await share(cookie, new Uint8Array(2 * 1024 * 1024 + 1))).status).toBe(413)
  expect((await on(GET, 'GET', '0'.repeat(32), { origin: 'https://evil.example' })).status).toBe(403)
  expect((await on(GET, 'GET', 'not-an-id')).status).toBe(404)
})

test('an account shares so many chats at once and no more; another one is not in its way', async () => {
  const cookie = await browser()
  const { id } = await (await share(cookie, 'x')).json()
  await database.query(
    `insert into share (id, account_id, secret_hash, body, expires_at)
     select md5($1 || n), account_id, secret_hash, body, expires_at from share, generate_series(2, ${MAX_SHARES}) n where id = $1`,
    [id],
  )
  expect((await share(cookie, 'x')).status).toBe(429)
  expect((await share(await browser(), 'x')).status).toBe(201)
  await database.query(`update share set expires_at = now() where id = $1`, [id])
  expect((await share(cookie, 'x')).status).toBe(201)
})

test('many at once do not get past the bound', async () => {
  const cookie = await browser()
  const { id } = await (await share(cookie, 'x')).json()
  await database.query(
    `insert into share (id, account_id, secret_hash, body, expires_at)
     select md5($1 || n), account_id, secret_hash, body, expires_at from share, generate_series(2, ${MAX_SHARES - 2}) n where id = $1`,
    [id],
  )
  const made = await Promise.all(Array.from({ length: 6 }, () => share(cookie, 'x')))
  expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429, 429, 429])
})

test('all accounts together have a bound, too', async () => {
  const { id } = await (await share(await browser(), 'x')).json()
  const [row] = await database.query<{ account: string }>('select account_id as account from share where id = $1', [id])
  await expect(createShare(row!.account, Buffer.from('y'), '1h', 1)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  })
})
