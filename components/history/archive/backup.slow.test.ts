import 'fake-indexeddb/auto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import fc from 'fast-check'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { beforeEach, describe, expect, test } from 'vitest'
import { backupBytes } from '@/components/history/archive/backup'
import { importFile } from '@/components/history/archive/import'
import { keepBlob } from '@/lib/browser/storage/blobs'
import { HistoryDatabase } from '@/lib/browser/storage/database'
import type { Conversation, Message, Part, Receipt } from '@/lib/browser/storage/records'
import { nano } from '@/lib/contract/money'

const database = new HistoryDatabase('lagoon')
const wipe = () => Promise.all(database.tables.map((table) => table.clear()))
beforeEach(wipe)

async function backup(password?: string): Promise<File> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const bytes of backupBytes(database, password ? { password } : {})) parts.push(bytes)
  return new File(parts, 'backup.zip')
}

/** All there is, blobs as their bytes. */
async function everything() {
  const tables = database.tables.filter(({ name }) => name !== 'blobs')
  const rows = await Promise.all(
    tables.map(async (table) => [table.name, await table.orderBy(':id').toArray()] as const),
  )
  const blobs = await Promise.all(
    (await database.blobs.toArray()).map(async ({ hash, size, data }) => ({
      hash,
      size,
      type: data.type,
      text: await data.text(),
    })),
  )
  return { ...Object.fromEntries(rows), blobs }
}

const text = fc.string({ unit: 'grapheme', maxLength: 30 })
const history = fc.uniqueArray(
  fc.record({
    id: fc.uuid(),
    title: text,
    isPinned: fc.boolean(),
    tags: fc.array(text, { maxLength: 3 }),
    turns: fc.array(
      fc.record({
        id: fc.uuid(),
        above: fc.nat(5),
        words: text,
        cost: fc.bigInt(0n, 10n ** 15n),
        role: fc.constantFrom('user' as const, 'assistant' as const),
      }),
      { maxLength: 6 },
    ),
    prompt: fc.option(text, { nil: undefined }),
  }),
  { maxLength: 6, selector: ({ id }) => id },
)

type Chats = typeof history extends fc.Arbitrary<infer T> ? T : never

async function fill(chats: Chats) {
  const conversations: Conversation[] = []
  const messages: Message[] = []
  const parts: Part[] = []
  const receipts: Receipt[] = []
  for (const { id, title, isPinned, tags, turns, prompt } of chats) {
    conversations.push({
      id,
      title,
      isPinned,
      tags,
      isNamed: true,
      createdAt: 1,
      updatedAt: 2,
      modelId: 'm',
      branches: {},
      ...(prompt !== undefined && { settings: { systemPrompt: prompt, temperature: 0.5 } }),
    })
    for (const [at, turn] of turns.entries()) {
      const key = { conversationId: id, messageId: turn.id }
      const parentId = turns[turn.above]?.id !== turn.id && turn.above < at ? (turns[turn.above]?.id ?? '') : ''
      messages.push({ id: turn.id, conversationId: id, parentId, role: turn.role, status: 'done', createdAt: at })
      parts.push({ ...key, i: 1, type: 'text', payload: turn.words })
      receipts.push({
        ...key,
        id: `r-${turn.id}`,
        model: 'm',
        cost: nano(turn.cost),
        durationMs: 5,
        at: 3,
        tokens: { input: 1, output: 2, cached: 0, reasoning: 0 },
      })
    }
  }
  await database.conversations.bulkPut(conversations)
  await database.messages.bulkPut(messages)
  await database.parts.bulkPut(parts)
  await database.receipts.bulkPut(receipts)
}

test('saved, wiped and taken back, a history is the same; taken back twice, nothing is added', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.array(text, { maxLength: 2 }), async (chats, files) => {
      await wipe()
      await fill(chats)
      await database.folders.put({ id: 'folder', name: 'Work', position: 1 })
      await database.spending.put({ day: '2026-11-20', spent: nano(123_456_789_012_345_678n) })
      for (const words of files) await keepBlob('chat', new Blob([words], { type: 'text/plain' }))
      const before = await everything()
      const file = await backup()
      await wipe()
      const report = await importFile(file, database)
      expect(await everything()).toEqual(before)
      expect(report).toMatchObject({ format: 'backup', added: chats.length, known: 0, refused: 0 })
      expect(await importFile(file, database)).toMatchObject({ added: 0, known: chats.length, messages: 0, refused: 0 })
      expect(await everything()).toEqual(before)
    }),
    { numRuns: 25 },
  )
})

describe('a backup with a password', () => {
  const chat: Conversation = {
    id: 'a',
    title: 'Secret harbour',
    isNamed: true,
    createdAt: 1,
    updatedAt: 2,
    modelId: 'm',
    branches: {},
  }

  test('says nothing without it, and everything with it', async () => {
    await database.conversations.put(chat)
    const file = await backup('correct horse')
    expect(await file.text()).not.toContain('harbour')
    await wipe()
    await expect(importFile(file, database)).rejects.toMatchObject({ kind: 'password' })
    await expect(importFile(file, database, { password: 'wrong' })).rejects.toMatchObject({ kind: 'password' })
    expect(await database.conversations.count()).toBe(0)
    await importFile(file, database, { password: 'correct horse' })
    expect(await database.conversations.toArray()).toEqual([chat])
  })

  test('that was cut or changed is refused', async () => {
    const file = await backup('p')
    const bytes = new Uint8Array(await file.arrayBuffer())
    await expect(importFile(new File([bytes.slice(0, 36)], 'x'), database, { password: 'p' })).rejects.toThrow(
      'part of the file is missing',
    )
    const changed = bytes.slice()
    changed[bytes.length - 1] = (changed[bytes.length - 1] ?? 0) ^ 1
    await expect(importFile(new File([changed], 'x'), database, { password: 'p' })).rejects.toMatchObject({
      name: 'ArchiveError',
    })
  })
})

describe('an encrypted backup is an age file', () => {
  const chat: Conversation = {
    ...{ id: 'a', title: 'Secret harbour', isNamed: true, createdAt: 1, updatedAt: 2, modelId: 'm', branches: {} },
  }
  const bytesOf = async (file: File) => new Uint8Array(await file.arrayBuffer())
  const take = (bytes: Uint8Array<ArrayBuffer>, password: string) =>
    importFile(new File([bytes], 'backup.zip.age'), database, { password })

  test('that the age library opens by itself', async () => {
    await database.conversations.put(chat)
    const bytes = await bytesOf(await backup('correct horse'))
    expect(strFromU8(bytes.subarray(0, 32))).toBe('age-encryption.org/v1\n-> scrypt ')
    const decrypter = new Decrypter()
    decrypter.addPassphrase('correct horse')
    const files = unzipSync(await decrypter.decrypt(bytes))
    expect(strFromU8(files['tables/conversations.jsonl']!)).toContain('Secret harbour')
  })

  test('and one that age made is taken', async () => {
    const encrypter = new Encrypter()
    encrypter.setPassphrase('naïve')
    encrypter.setScryptWorkFactor(10)
    const packed = zipSync({ 'tables/conversations.jsonl': strToU8(JSON.stringify(chat)) })
    const bytes = (await encrypter.encrypt(packed)) as Uint8Array<ArrayBuffer>
    expect(await take(bytes, 'nai\u0308ve')).toMatchObject({ added: 1 })
  })

  test('a file larger than a chunk says that it is damaged or incomplete, wherever it was cut or changed', async () => {
    const encrypter = new Encrypter()
    encrypter.setPassphrase('p')
    encrypter.setScryptWorkFactor(10)
    const noise = crypto.getRandomValues(new Uint8Array(60_000))
    const packed = zipSync({
      'tables/conversations.jsonl': strToU8(JSON.stringify(chat)),
      a: noise,
      b: noise,
      c: noise,
    })
    const whole = (await encrypter.encrypt(packed)) as Uint8Array<ArrayBuffer>
    const changed = (at: number) => {
      const bytes = whole.slice()
      bytes[at] = (bytes[at] ?? 0) ^ 1
      return bytes
    }
    expect(await take(whole, 'p')).toMatchObject({ added: 1 })
    for (const bytes of [whole.slice(0, 100_000), whole.slice(0, -1), changed(250), changed(90_000), changed(150)]) {
      await expect(take(bytes, 'p')).rejects.toMatchObject({
        ...{ name: 'ArchiveError', kind: 'invalid', message: 'The backup is damaged or incomplete.' },
      })
    }
  })

  test('a file for a key instead of a password is refused as such', async () => {
    const encrypter = new Encrypter()
    encrypter.addRecipient(await identityToRecipient(await generateX25519Identity()))
    const bytes = (await encrypter.encrypt(new Uint8Array(500))) as Uint8Array<ArrayBuffer>
    await expect(take(bytes, 'p')).rejects.toThrow('This is not a password-protected backup.')
  })

  test('a backup of the format before age is still read, and refused when it is cut or changed', async () => {
    const old = new Uint8Array(await readFile(path.join(import.meta.dirname, 'testing/before-age.sealed')))
    await expect(importFile(new File([old], 'x'), database)).rejects.toThrow('Enter the password')
    await expect(take(old, 'wrong')).rejects.toThrow('Wrong password')
    await expect(take(old.slice(0, 36), 'correct horse')).rejects.toThrow('part of the file is missing')
    await expect(take(old.slice(0, 20), 'correct horse')).rejects.toThrow('part of the file is missing')
    const changed = old.slice()
    changed[37] = 0xff
    await expect(take(changed, 'correct horse')).rejects.toThrow('damaged')
    expect(await database.conversations.count()).toBe(0)
    expect(await take(old, 'correct horse')).toMatchObject({ format: 'backup', added: 1, refused: 0 })
    expect(await database.conversations.toArray()).toEqual([chat])
  })
})

test('a chat here that was written in since is not put back to what it was', async () => {
  const chat = { id: 'a', title: 'Old', isNamed: true, createdAt: 1, updatedAt: 2, modelId: 'm', branches: {} }
  await database.conversations.put(chat)
  const file = await backup()
  await database.conversations.put({ ...chat, title: 'New', updatedAt: 9 })
  await importFile(file, database)
  expect((await database.conversations.get('a'))?.title).toBe('New')
})

describe('hostile files', () => {
  const zip = (files: Record<string, string>) =>
    new File(
      [
        zipSync(
          Object.fromEntries(Object.entries(files).map(([name, words]) => [name, strToU8(words)])),
        ) as Uint8Array<ArrayBuffer>,
      ],
      'x.zip',
    )

  test('records that are none are counted and left out; what is not known of a record goes', async () => {
    const good = { id: 'a', title: 't', isNamed: true, createdAt: 1, updatedAt: 2, modelId: 'm', branches: {} }
    const rows = [
      JSON.stringify({ ...good, extra: 1 }),
      JSON.stringify({ ...good, id: 'temporary-1' }),
      JSON.stringify({ ...good, id: '../x' }),
      JSON.stringify({ ...good, id: 'b', branches: { a: 5 } }),
      `{"__proto__":{"isAdmin":true},${JSON.stringify({ ...good, id: 'c' }).slice(1)}`,
      'no json',
    ]
    const report = await importFile(zip({ 'tables/conversations.jsonl': rows.join('\n') }), database)
    expect(report).toMatchObject({ added: 2, refused: 4 })
    expect(await database.conversations.toArray()).toEqual([good, { ...good, id: 'c' }])
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  })

  test('bytes under another name are refused', async () => {
    const report = await importFile(
      zip({ 'tables/folders.jsonl': '', 'tables/conversations.jsonl': 'x', [`blobs/${'0'.repeat(64)}`]: 'evil' }),
      database,
    )
    expect(report.refused).toBe(2)
    expect(await database.blobs.count()).toBe(0)
  })

  test('a zip that unpacks without end is stopped', async () => {
    const bomb = zip({ 'conversations.json': `["${'a'.repeat(20 * 1024 * 1024)}"]` })
    expect(bomb.size).toBeLessThan(200_000)
    await expect(importFile(bomb, database)).rejects.toMatchObject({ kind: 'too-large' })
  })

  test('nesting without end is stopped', async () => {
    await expect(importFile(new File(['['.repeat(100_000)], 'x.json'), database)).rejects.toThrow('nested too deeply')
  })

  test.each(['', '{', '[1, 2', 'hello', '[]', '{"a": 1}'])('%j is no history', async (words) => {
    await expect(importFile(new File([words], 'x.json'), database)).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('half a zip is no zip', async () => {
    const whole = zip({ 'conversations.json': JSON.stringify([{ mapping: {}, id: 'x'.repeat(5_000) }]) })
    await expect(importFile(new File([whole.slice(0, 40)], 'x.zip'), database)).rejects.toMatchObject({
      kind: 'invalid',
    })
  })
})

test('an import that is stopped says so and keeps what it had', async () => {
  const controller = new AbortController()
  const one = (id: string) => ({
    conversation_id: id,
    title: id,
    mapping: { n: { message: { author: { role: 'user' }, content: { parts: ['x'.repeat(900_000)] } } } },
  })
  const file = new File([JSON.stringify(Array.from({ length: 5 }, (_, at) => one(`c${at}`)))], 'conversations.json')
  const report = await importFile(file, database, { signal: controller.signal, onProgress: () => controller.abort() })
  expect(report.isCut).toBe(true)
  expect(report.added).toBeLessThan(5)
})
