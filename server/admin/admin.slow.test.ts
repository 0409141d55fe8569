import { mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { uuid } from '@/lib/contract/ids'
import { usd } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import { verifyKey, verifySession } from '@/lib/services/identity/credentials'
import { openOperatorSession } from '@/lib/services/identity/operator'
import { openSession, sessionSecret } from '@/lib/services/identity/session'
import { testContext, withEnvironment } from '@/lib/services/identity/testing'
import { balancesOf } from '@/lib/services/ledger/ledger'
import { runAdmin } from '@/server/admin/run'
import { askServer, serveAdmin, socketPath } from '@/server/admin/socket'
import { ensureFirstKey } from '@/server/announce'

const database = await testDatabase()

type Created = { accountId: string; id: string; apiKey: string }
const create = async (...options: string[]) =>
  (await runAdmin(['keys', 'create', '--name', 'laptop', ...options])).json as Created

test('keys create makes an account and a key, which is the last line printed', async () => {
  const { exitCode, output, json } = await runAdmin('keys create --name laptop --type admin --credit 2.5'.split(' '))
  const { apiKey, accountId, id } = json as Created
  expect(exitCode).toBe(0)
  expect(output.split('\n').at(-1)).toBe(apiKey)
  expect(await verifyKey(apiKey)).toMatchObject({ id, accountId, type: 'ADMIN' })
  expect((await balancesOf(accountId)).USD).toBe(usd('2.5'))
})

test('keys create bounds what a key may spend and how long it works', async () => {
  const { json } = await runAdmin('keys create --name batch --limit 2 --period month --expires 2999-01-31'.split(' '))
  const { id } = json as Created
  const listed = (await runAdmin(['keys', 'list'])).json as { keys: { id: string }[] }
  expect(listed.keys.find((key) => key.id === id)).toMatchObject({
    limits: { usd: '2.000000' },
    limitPeriod: 'MONTH',
    expiresAt: new Date('2999-01-31'),
  })
})

test.each([['--period year'], ['--expires 2001-01-01'], ['--expires never'], ['--limit -1']])(
  'keys create refuses %s',
  async (bad) => {
    const { exitCode } = await runAdmin(`keys create --name x ${bad}`.split(' '))
    expect(exitCode).toBe(2)
  },
)

test('keys create takes an account that is there', async () => {
  const { accountId } = await create()
  expect(await create('--account', accountId)).toMatchObject({ accountId })
  expect(await runAdmin(['keys', 'create', '--name', 'x', '--account', uuid()])).toMatchObject({ exitCode: 1 })
})

test('keys list shows everything but secrets, keys revoke ends one', async () => {
  const { accountId, id, apiKey } = await create()
  const listed = await runAdmin(['keys', 'list', '--account', accountId])
  expect(listed.output).toContain(id)
  expect(listed.output + JSON.stringify(listed.json)).not.toContain(apiKey.slice(22, 60))
  expect(await runAdmin(['keys', 'revoke', id])).toMatchObject({ exitCode: 0, json: { id, revoked: true } })
  expect(await verifyKey(apiKey)).toBeUndefined()
  expect(await runAdmin(['keys', 'revoke', id])).toMatchObject({ exitCode: 1 })
  expect((await runAdmin(['keys', 'list', '--account', accountId])).output).toBe('No active keys.')
})

type Shown = {
  id: string
  status: string
  isPro: boolean
  rateMultiplier: number
  balance: { usd: string }
  activeKeys: number
}
const setAccount = (id: string, ...options: string[]) => runAdmin(['accounts', 'set', id, ...options])

test('accounts set grants Pro, multiplies limits and closes an account, for keys that are in use', async () => {
  const { accountId, apiKey } = await create()
  expect(await verifyKey(apiKey)).toMatchObject({ rateMultiplier: 1, account: { isPro: false, status: 'active' } })
  const { exitCode, json, output } = await setAccount(accountId, '--pro', 'on', '--rate-multiplier', '3')
  expect({ exitCode, json }).toMatchObject({ exitCode: 0, json: { id: accountId, isPro: true, rateMultiplier: 3 } })
  expect(output).toMatch(/Pro +on/)
  expect(await verifyKey(apiKey)).toMatchObject({ rateMultiplier: 3, account: { isPro: true, status: 'active' } })
  await setAccount(accountId, '--status', 'disabled')
  expect(await verifyKey(apiKey)).toMatchObject({ rateMultiplier: 3, account: { isPro: true, status: 'disabled' } })
  await setAccount(accountId, '--status', 'active', '--pro', 'off')
  expect(await verifyKey(apiKey)).toMatchObject({ account: { isPro: false, status: 'active' } })
})

test('accounts set is learnt by sessions, too', async () => {
  const { accountId } = await create()
  const account = { kind: 'account', status: 'active', isPro: false } as const
  const { cookie } = await openSession({ accountId, kind: 'guest', rateMultiplier: 1, account }, 'a browser')
  const secret = sessionSecret(new Headers({ cookie: cookie.split(';', 1)[0]! }))!
  expect(await verifySession(secret)).toMatchObject({ account: { isPro: false } })
  await setAccount(accountId, '--pro', 'on')
  expect(await verifySession(secret)).toMatchObject({ account: { isPro: true } })
})

test('accounts show and list say what an account has', async () => {
  const { accountId } = await create('--credit', '2.5')
  const shown = await runAdmin(['accounts', 'show', accountId])
  expect(shown).toMatchObject({
    exitCode: 0,
    json: {
      id: accountId,
      kind: 'account',
      name: 'laptop',
      balance: { usd: '2.500000', diem: '0.000000' },
      activeKeys: 1,
    },
  })
  expect(shown.output).toContain('2.500000 USD')
  const list = async (...options: string[]) =>
    ((await runAdmin(['accounts', 'list', ...options])).json as { accounts: Shown[] }).accounts
  expect((await list())[0]).toMatchObject({ id: accountId, balance: { usd: '2.500000' } })
  expect(await list('--limit', '1')).toHaveLength(1)
  expect(await list('--kind', 'guest')).toEqual([])
  await setAccount(accountId, '--status', 'inactive')
  expect(await list('--status', 'inactive')).toMatchObject([{ id: accountId, status: 'inactive' }])
  expect((await runAdmin(['accounts', 'list', '--status', 'disabled'])).output).toBe('No accounts.')
})

test('accounts set takes the address of a wallet', async () => {
  const address = `0x${'Ab'.repeat(20)}`
  await database.query(`insert into account (id, kind, ref) values ($1, 'wallet', $2)`, [uuid(), address.toLowerCase()])
  expect(await setAccount(address, '--rate-multiplier', '2')).toMatchObject({
    json: { wallet: address.toLowerCase(), rateMultiplier: 2 },
  })
})

test('credit is a ledger entry with its reason', async () => {
  const { accountId } = await create()
  const { exitCode, json } = await runAdmin(['credit', accountId, '7.25', '--reason', 'a refund of last week'])
  expect({ exitCode, json }).toEqual({ exitCode: 0, json: { accountId, credited: '7.250000', balanceUsd: '7.250000' } })
  const entries = await database.query(
    'select t.reason, e.amount::text as amount from entry e join txn t on t.id = e.txn_id where e.account_id = $1',
    [accountId],
  )
  expect(entries).toEqual([{ reason: 'a refund of last week', amount: '7250000000' }])
})

test.each([
  ['no such command', ['keys', 'burn'], 2],
  ['a missing name', ['keys', 'create'], 2],
  ['an empty name', ['keys', 'create', '--name', ''], 2],
  ['a name of 65 characters', ['keys', 'create', '--name', 'x'.repeat(65)], 2],
  ['an unknown type', ['keys', 'create', '--name', 'x', '--type', 'ROOT'], 2],
  ['an unknown option', ['keys', 'list', '--colour', 'red'], 2],
  ['a negative credit', ['credit', uuid(), '-5'], 2],
  ['a word for an amount', ['credit', uuid(), 'much'], 2],
  ['a fortune', ['credit', uuid(), '1000001'], 2],
  ['nobody', ['credit', uuid(), '1'], 1],
  ['a name with a quote', ['credit', "'; drop table account; --", '1'], 1],
  ['an account that is none', ['accounts', 'set', uuid(), '--pro', 'on'], 1],
  ['no account', ['accounts', 'show'], 2],
  ['no change', ['accounts', 'set', uuid()], 2],
  ['a third way', ['accounts', 'set', uuid(), '--pro', 'maybe'], 2],
  ['an unknown status', ['accounts', 'set', uuid(), '--status', 'gone'], 2],
  ['a multiplier of nothing', ['accounts', 'set', uuid(), '--rate-multiplier', '0'], 2],
  ['half a multiplier', ['accounts', 'set', uuid(), '--rate-multiplier', '1.5'], 2],
  ['a key id that is none', ['keys', 'revoke', 'x'], 1],
])('%s is refused and said', async (_, argv, exitCode) => {
  const refused = await runAdmin(argv)
  expect(refused.exitCode).toBe(exitCode)
  expect(refused.output).not.toBe('')
  expect(refused.json).toHaveProperty('error')
})

test('a negative option value is an amount that is refused, and nothing is made', async () => {
  const before = await database.query('select count(*)::int as count from account')
  await runAdmin(['keys', 'create', '--name', 'x', '--credit=-1'])
  await runAdmin(['keys', 'create', '--name', 'x', '--credit', '0'])
  expect(await database.query('select count(*)::int as count from account')).toEqual(before)
})

test('--help lists the commands, and explains one', async () => {
  for (const argv of [[], ['--help']]) {
    const { exitCode, output } = await runAdmin(argv)
    expect(exitCode).toBe(0)
    expect(output).toContain('ledger check')
  }
  expect((await runAdmin(['credit', '--help'])).output).toContain('credit ACCOUNT USD')
})

test('ledger check passes a sound ledger, and names the rows of a broken one', async () => {
  const { accountId } = await create('--credit', '3')
  expect(await runAdmin(['ledger', 'check'])).toMatchObject({ exitCode: 0 })
  const change = 'update balance set posted = posted + $2 where account_id = $1'
  await database.query(change, [accountId, 1])
  const broken = await runAdmin(['ledger', 'check'])
  await database.query(change, [accountId, -1])
  expect(broken.exitCode).toBe(1)
  expect(broken.output).toContain(accountId)
})

test('the first start makes one admin key, whoever asks at the same time', async () => {
  const secrets = (await Promise.all([1, 2, 3].map(() => ensureFirstKey()))).filter((secret) => secret !== undefined)
  expect(secrets).toHaveLength(1)
  const key = await verifyKey(secrets[0]!)
  expect(key).toMatchObject({ type: 'ADMIN' })
  expect((await balancesOf(key!.accountId)).USD).toBe(usd('100'))
  expect(await ensureFirstKey()).toBeUndefined()
})

test('outside the sandbox the first key comes without money', async () => {
  await database.query('delete from installation')
  const secret = await withEnvironment({ SANDBOX: 'off' }, ensureFirstKey)
  expect((await balancesOf((await verifyKey(secret!))!.accountId)).USD).toBe(0n)
})

const inFolder = <T>(dataDir: string, run: () => Promise<T>) => withEnvironment({ DATA_DIR: dataDir }, run)
const newFolder = () => mkdtempSync(path.join(tmpdir(), 'admin-'))

test('a running server takes commands over a socket that only its user can open', async () => {
  await inFolder(newFolder(), async () => {
    const server = await serveAdmin()
    try {
      expect(statSync(socketPath()).mode & 0o777).toBe(0o600)
      const created = await askServer(['keys', 'create', '--name', 'through the server'])
      const { id, apiKey } = created!.json as Created
      await verifyKey(apiKey)
      expect(await askServer(['keys', 'revoke', id])).toMatchObject({ exitCode: 0 })
      expect(verifyKey(apiKey)).toBeInstanceOf(Promise)
      expect(await verifyKey(apiKey)).toBeUndefined()
      expect(await askServer(['keys', 'create'])).toMatchObject({ exitCode: 2 })
    } finally {
      await server.close()
    }
    expect(await askServer(['keys', 'list'])).toBeUndefined()
  })
})

test('operator link prints a link as its last line, and operator revoke ends it', async () => {
  const { exitCode, output, json } = await runAdmin(['operator', 'link'])
  const { link } = json as { link: string }
  expect(exitCode).toBe(0)
  expect(output.split('\n').at(-1)).toBe(link)
  const token = new URL(link).hash.slice('#token='.length)
  await openOperatorSession(testContext(), token)
  expect(await runAdmin(['operator', 'revoke'])).toMatchObject({ exitCode: 0 })
  await expect(openOperatorSession(testContext(), token)).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
})

test('the socket survives what is no command, and a file that a dead server left', async () => {
  await inFolder(newFolder(), async () => {
    writeFileSync(socketPath(), '')
    const server = await serveAdmin()
    try {
      for (const line of [
        'nonsense\n',
        '{"argv":"keys list"}\n',
        '{"argv":["models","pull"]}\n',
        `${'x'.repeat(70_000)}\n`,
        '{"argv":[',
      ]) {
        const socket = connect(socketPath())
        socket.on('error', () => undefined)
        socket.end(line)
        expect(await text(socket).catch(() => '')).toBe('')
      }
      expect(await askServer(['ledger', 'check'])).toMatchObject({ exitCode: 0 })
    } finally {
      await server.close()
    }
  })
})

test('a data folder with a long path gets a socket that the system can name', async () => {
  await inFolder(path.join(newFolder(), 'deep'.repeat(30)), async () => {
    const server = await serveAdmin()
    expect(Buffer.byteLength(socketPath())).toBeLessThanOrEqual(100)
    expect(await askServer(['ledger', 'check'])).toMatchObject({ exitCode: 0 })
    await server.close()
  })
})

test('with PostgreSQL there is no socket: the command connects by itself', async () => {
  await withEnvironment({ DATA_DIR: newFolder(), DATABASE_URL: 'postgres://localhost/none' }, async () => {
    const server = await serveAdmin()
    expect(await askServer(['keys', 'list'])).toBeUndefined()
    await server.close()
  })
})
