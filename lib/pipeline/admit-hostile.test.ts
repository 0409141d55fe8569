import { Writable } from 'node:stream'
import pino from 'pino'
import { describe, expect, test } from 'vitest'
import { randomText, uuid } from '@/lib/contract/ids'
import { installDatabase } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { testDatabase } from '@/lib/db/testing'
import { openGuestSession } from '@/lib/endpoints/session/guest'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'
import type { Accepts } from '@/lib/kernel/request-context'
import { admit } from '@/lib/pipeline/admit'
import { bearer, newKey, refusal } from '@/lib/pipeline/testing'
import { saveLastUsed } from '@/lib/services/identity/api-keys'
import { newSecret } from '@/lib/services/identity/credentials'
import { testContext } from '@/lib/services/identity/testing'

const database = await testDatabase()
const ALL: Accepts[] = ['paid', 'key', 'admin']

describe('hostile headers', () => {
  class RawHeaders extends Headers {
    readonly #value: string
    constructor(value: string) {
      super()
      this.#value = value
    }
    override get(name: string) {
      return name.toLowerCase() === 'authorization' ? this.#value : null
    }
    override has(name: string) {
      return name.toLowerCase() === 'authorization'
    }
  }

  test('10,000 hostile Authorization headers all get the same 401, and none reaches the database', async () => {
    const { secret } = await newKey()
    const statements: string[] = []
    installDatabase(counting(database, statements))
    const bodies = new Set<string>()
    try {
      for (let n = 0; n < 10_000; n++) {
        const context = { ...testContext(), headers: new RawHeaders(hostile(n, secret)) }
        const error = await refusal(ALL[n % 3]!, {}, context)
        bodies.add(JSON.stringify([error.status, error.code, error.message, error.body, error.headers]))
      }
    } finally {
      installDatabase(database)
    }
    expect([...bodies]).toEqual(['[401,"AUTHENTICATION_FAILED","Authentication failed",null,null]'])
    expect(statements).toEqual([])
  })

  test('keys that are only not known take one statement for all that ask at once', async () => {
    const statements: string[] = []
    installDatabase(counting(database, statements))
    try {
      const secrets = Array.from({ length: 200 }, unknownKey)
      const errors = await Promise.all(secrets.map((secret) => refusal('paid', bearer(secret))))
      expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['AUTHENTICATION_FAILED']))
      expect(statements).toHaveLength(1)
    } finally {
      installDatabase(database)
    }
  })
})

test('no log line holds a secret, also when the database fails', async () => {
  const lines: string[] = []
  const stream = new Writable({ write: (chunk, _, done) => done(void lines.push(String(chunk))) })
  resetPerProcess('log')
  perProcess('log', () => pino({ level: 'trace' }, stream))
  const key = await newKey()
  const cookie = (await openGuestSession(uuid())).cookie.split(';')[0]!
  try {
    await admit(testContext({ headers: bearer(key.secret) }), 'paid')
    installDatabase({ ...database, query: () => Promise.reject(new Error('connection lost')) })
    await saveLastUsed()
    await expect(admit(testContext({ headers: bearer(unknownKey()) }), 'paid')).rejects.toThrow('connection lost')
    await expect(admit(testContext({ headers: bearer(key.secret) }), 'key')).rejects.toThrow('connection lost')
  } finally {
    installDatabase(database)
    resetPerProcess('log')
  }
  expect(lines.join()).toContain('could not be saved')
  expect(lines.join()).not.toContain(key.secret.slice(22))
  expect(lines.join()).not.toContain(cookie.split('=')[1])
})

const unknownKey = () => newSecret('SERVICE_INFERENCE_KEY_')

function counting(database: Database, statements: string[]): Database {
  return {
    ...database,
    query: (text, parameters) => {
      statements.push(text)
      return database.query(text, parameters)
    },
  }
}

function hostile(n: number, secret: string): string {
  const noise = randomText(1 + (n % 60))
  const near =
    secret.slice(0, 30 + (n % 40)) + (secret[30 + (n % 40)] === 'x' ? 'y' : 'x') + secret.slice(31 + (n % 40))
  const kinds = [
    '',
    'Bearer',
    'Bearer ',
    noise,
    `Bearer ${noise}`,
    `Bearer ${secret}, Bearer ${secret}`,
    `Bearer ${secret},${noise}`,
    `Bearer ${secret} ${noise}`,
    `Bearer ${secret}\0`,
    `Bearer \0${secret}`,
    `Bearer ${secret}\r\nX-Admin: ${noise}`,
    `Bearer ${secret}'--`,
    `Bearer ' or 1=1; drop table api_key; -- ${noise}`,
    `Bearer ${noise.repeat(500)}`,
    `Bearer ${secret.repeat(4)}`,
    `Bearer SERVICE_ADMIN_KEY_${noise}`,
    `Bearer SERVICE_INFERENCE_KEY_${'A'.repeat(49)}`,
    `Bearer ${near}`,
    `Bearer ${secret.toLowerCase()}`,
    `Bearer ${secret.slice(0, -1)}`,
    `Bearer ${secret}x`,
    `Basic ${btoa(`${secret}:`)}`,
    `Token ${secret}`,
    secret,
    `Bearer ${secret.replace('KEY', 'KЕY')}`,
    `Bearer ${String.fromCodePoint(0x1f600 + (n % 50))}`,
    `Bearer\t${secret}`,
    `Bearer "${secret}"`,
    `Bearer ${'%'.repeat(1 + (n % 200))}`,
    `Bearer {"$ne":"${noise}"}`,
  ]
  return kinds[n % kinds.length]!
}
