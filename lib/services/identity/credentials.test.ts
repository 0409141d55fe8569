import { expect, test } from 'vitest'
import { testDatabase } from '@/lib/db/testing'
import { createKey } from '@/lib/services/identity/api-keys'
import { createLookup, hashSecret, isWellFormed, newSecret, verifyKey } from '@/lib/services/identity/credentials'
import { testAccount } from '@/lib/services/identity/testing'

const database = await testDatabase()

test('a second look needs no statement', async () => {
  const { secret } = await createKey({ accountId: await testAccount(), type: 'ADMIN', description: '' })
  await verifyKey(secret)
  expect(verifyKey(secret)).toMatchObject({ type: 'ADMIN' })
})

test('a fresh look sees what another process revoked', async () => {
  const { id, secret } = await createKey({ accountId: await testAccount(), type: 'ADMIN', description: '' })
  await verifyKey(secret)
  await database.query('update api_key set revoked_at = now() where id = $1', [id])
  expect(await verifyKey(secret, true)).toBeUndefined()
  expect(await verifyKey(secret)).toBeUndefined()
})

test('text that cannot be a secret never reaches the database', () => {
  const prefix = 'SERVICE_INFERENCE_KEY_'
  for (const secret of [
    '',
    prefix,
    prefix + 'a'.repeat(49),
    `${prefix}${'a'.repeat(48)}\0`,
    `${prefix}${'a'.repeat(10_000)}`,
  ]) {
    // An answer that is not a promise took no statement.
    expect(verifyKey(secret)).toBeUndefined()
  }
})

/** A table of credentials behind a lookup, with a clock and a gate that holds statements back. */
function table(rows: Record<string, string>) {
  const statements: string[][] = []
  const clock = { nowMs: 0 }
  let gate: Promise<void> | undefined
  const lookup = createLookup<string>(
    async (hashes) => {
      statements.push(hashes)
      // The rows as they were when the statement began, as a database answers.
      const snapshot = new Map(hashes.filter((hash) => hash in rows).map((hash) => [hash, rows[hash]!]))
      await gate
      return snapshot
    },
    () => clock.nowMs,
  )
  const close = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    return () => {
      gate = undefined
      resolve()
    }
  }
  return { rows, statements, clock, lookup, close }
}

test('the misses of one moment travel in one statement, each hash once', async () => {
  const { lookup, statements } = table({ a: 'A', b: 'B' })
  const answers = await Promise.all(['a', 'b', 'a', 'x', 'x'].map((hash) => lookup.find(hash)))
  expect(answers).toEqual(['A', 'B', 'A', undefined, undefined])
  expect(statements).toEqual([['a', 'b', 'x']])
})

test('a known answer comes without waiting, good or bad, and lives 5 s', async () => {
  const { lookup, statements, clock } = table({ a: 'A' })
  await Promise.all([lookup.find('a'), lookup.find('x')])
  clock.nowMs = 4_999
  expect(lookup.find('a')).toBe('A')
  expect(lookup.find('x')).toBeUndefined()
  clock.nowMs = 5_000
  await Promise.all([lookup.find('a'), lookup.find('x')])
  expect(statements).toHaveLength(2)
})

test('a fresh question reads again although a good answer is known', async () => {
  const { lookup, rows, statements } = table({ a: 'A' })
  await lookup.find('a')
  delete rows.a
  expect(lookup.find('a')).toBe('A')
  expect(await lookup.find('a', true)).toBeUndefined()
  expect(lookup.find('a')).toBeUndefined()
  expect(statements).toHaveLength(2)
})

test('what is forgotten while its statement runs is not kept, nor given to those who ask afterwards', async () => {
  const { lookup, rows, close } = table({ a: 'A' })
  const open = close()
  const before = lookup.find('a')
  await new Promise((resolve) => setImmediate(resolve))
  delete rows.a
  lookup.forget('a')
  const after = lookup.find('a')
  open()
  expect(await before).toBe('A')
  expect(await after).toBeUndefined()
  expect(await lookup.find('a')).toBeUndefined()
})

test('10,000 guesses push no good answer out', async () => {
  const { lookup, statements } = table({ a: 'A' })
  await lookup.find('a')
  await Promise.all(Array.from({ length: 10_000 }, (_, n) => lookup.find(`guess-${n}`)))
  expect(lookup.find('a')).toBe('A')
  expect(statements.length).toBeLessThanOrEqual(21)
})

test('more different credentials at once than can wait are told to come back', async () => {
  const { lookup } = table({})
  const asked = Array.from({ length: 10_000 }, (_, n) => lookup.find(`guess-${n}`))
  expect(() => lookup.find('one more')).toThrow(expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }))
  await Promise.all(asked)
})

test('a statement that fails fails those who asked, and the next is tried', async () => {
  let isBroken = true
  const lookup = createLookup<string>(async () => {
    if (isBroken) throw new Error('connection lost')
    return new Map([['a', 'A']])
  })
  await expect(lookup.find('a')).rejects.toThrow('connection lost')
  isBroken = false
  expect(await lookup.find('a')).toBe('A')
})

test('a secret is well-formed under its own prefix only', () => {
  const secret = newSecret('SERVICE_ADMIN_KEY_')
  expect(isWellFormed(secret, 'SERVICE_ADMIN_KEY_')).toBe(true)
  expect(isWellFormed(secret, 'SERVICE_INFERENCE_KEY_')).toBe(false)
})

test('any changed character breaks the checksum', () => {
  const secret = newSecret('P_')
  for (let at = 2; at < secret.length; at++) {
    const changed = secret.slice(0, at) + (secret[at] === 'x' ? 'y' : 'x') + secret.slice(at + 1)
    expect(isWellFormed(changed, 'P_')).toBe(false)
  }
})

test('1,000 secrets are all different and all well-formed', () => {
  const secrets = new Set(Array.from({ length: 1_000 }, () => newSecret('P_')))
  expect(secrets.size).toBe(1_000)
  for (const secret of secrets) expect(isWellFormed(secret, 'P_')).toBe(true)
})

test('the hash is SHA-256 of the whole secret', () => {
  expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
