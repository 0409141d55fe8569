import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Service, Session } from '@/lib/contract/session'

const SERVICE: Service = {
  sandbox: true,
  wallets: 'any',
  guests: true,
  rails: ['evm'],
  staking: false,
  version: '20260718.002811',
  operator: { name: null, url: null },
  sourceUrl: null,
}
const GUEST: Session = {
  id: 'g',
  kind: 'guest',
  address: null,
  family: null,
  balanceUsd: 1,
  balanceDiem: 0,
  expiresAt: '2030-01-01T00:00:00.000Z',
  sandbox: true,
}

let server: Server
let asked: string[]
let answer: { session: Session | null; service: Service }

beforeEach(async () => {
  asked = []
  answer = { session: null, service: SERVICE }
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const session = request.method === 'POST' ? GUEST : answer.session
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...answer, session }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { fetch } = globalThis
  // A page's addresses have no host.
  vi.stubGlobal('fetch', (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init))
  // What is known of the service lasts as long as the page.
  vi.resetModules()
})

afterEach(() => {
  vi.unstubAllGlobals()
  server.close()
})

const load = () => import('@/lib/browser/account-gate')

test('two sends at once open one guest session', async () => {
  const { ensureSession } = await load()
  const client = new QueryClient()
  expect(await Promise.all([ensureSession(client), ensureSession(client)])).toEqual([GUEST, GUEST])
  expect(asked).toEqual(['GET /api/session', 'POST /api/session'])
})

test('takes the session that is there, and asks nobody the second time', async () => {
  const { ensureSession } = await load()
  const client = new QueryClient()
  answer.session = { ...GUEST, id: 'here' }
  expect(await ensureSession(client)).toMatchObject({ id: 'here' })
  expect(await ensureSession(client)).toMatchObject({ id: 'here' })
  expect(asked).toEqual(['GET /api/session'])
})

test('without guests it asks for a wallet, and refuses to send when the person closes the dialog', async () => {
  const { ensureSession } = await load()
  const { settleWallet, walletRequest } = await import('@/lib/browser/dialogs')
  answer.service = { ...SERVICE, guests: false }
  const opened = ensureSession(new QueryClient())
  await expect.poll(walletRequest).toEqual({ why: 'To send this message' })
  settleWallet(null)
  await expect(opened).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
})

test('a session that was just opened is not undone by an older look at it', async () => {
  const { fetchSession, rememberSession, SESSION_KEY } = await import('@/lib/browser/session')
  const client = new QueryClient()
  const look = client.fetchQuery({ queryKey: SESSION_KEY, queryFn: ({ signal }) => fetchSession(signal) })
  await rememberSession(client, GUEST)
  await look.catch(() => undefined)
  expect(client.getQueryData(SESSION_KEY)).toEqual(GUEST)
})
