import 'fake-indexeddb/auto'
import fc from 'fast-check'
import { strToU8, zipSync } from 'fflate'
import { beforeEach, expect, test } from 'vitest'
import { fromChatGpt, fromClaude } from '@/components/history/archive/foreign-chats'
import { importFile } from '@/components/history/archive/import'
import { loadThread } from '@/lib/browser/storage/chats'
import { db } from '@/lib/browser/storage/database'
import { shownTurns } from '@/lib/browser/storage/thread'

beforeEach(() => Promise.all(db.tables.map((table) => table.clear())))

/** An export without files. */
const none = () => undefined

const node = (id: string, parent: string | null, role: string, words: string, more: object = {}) => ({
  [id]: {
    id,
    parent,
    children: [],
    message: {
      id,
      author: { role },
      create_time: 1_700_000_000,
      content: { content_type: 'text', parts: [words] },
      ...more,
    },
  },
})

const CHATGPT = {
  conversation_id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  title: 'Tides',
  create_time: 1_700_000_000.5,
  update_time: 1_700_000_100,
  current_node: 'a1',
  mapping: {
    root: { id: 'root', parent: null, children: ['sys'], message: null },
    ...node('sys', 'root', 'system', ''),
    ...node('q', 'sys', 'user', 'What are tides?'),
    ...node('tool', 'q', 'assistant', 'search()', { recipient: 'browser' }),
    ...node('result', 'tool', 'tool', 'found'),
    ...node('a1', 'result', 'assistant', 'Two bulges.', { metadata: { model_slug: 'gpt-x' } }),
    ...node('a2', 'q', 'assistant', 'The moon pulls.', {}),
    ...node('hidden', 'a2', 'user', 'secret', { metadata: { is_visually_hidden_from_conversation: true } }),
  },
}

const CLAUDE = {
  uuid: '1d0cf8a2-1111-4222-8333-444455556666',
  name: 'Soup',
  created_at: '2025-01-02T03:04:05Z',
  updated_at: '2025-01-03T00:00:00Z',
  chat_messages: [
    {
      uuid: 'm1',
      sender: 'human',
      text: 'How long?',
      created_at: '2025-01-02T03:04:05Z',
      attachments: [{ file_name: 'recipe.txt', extracted_content: 'Boil it.' }],
      files: [{ file_name: 'a.png' }],
    },
    {
      uuid: 'm2',
      sender: 'assistant',
      text: '',
      content: [{ type: 'thinking', thinking: 'Hm' }, { type: 'tool_use' }, { type: 'text', text: 'An hour.' }],
    },
  ],
}

test('a ChatGPT chat keeps its versions and shows the one that was shown', async () => {
  const { thread, leftOut } = fromChatGpt(CHATGPT, 0, none)!
  expect(thread.conversation).toMatchObject({ title: 'Tides', createdAt: 1_700_000_000_500, modelId: 'gpt-x' })
  expect(shownTurns(thread).map(({ role, text, versions }) => [role, text, versions.length])).toEqual([
    ['user', 'What are tides?', 1],
    ['assistant', 'Two bulges.', 2],
  ])
  expect(JSON.stringify(thread)).not.toContain('secret')
  expect([...leftOut]).toEqual([['steps of tools', 2]])
})

test('a Claude chat keeps documents that were attached, and what was thought', () => {
  const { thread, files, leftOut } = fromClaude(CLAUDE, 0, none)!
  expect(shownTurns(thread).map(({ role, text, reasoning }) => [role, text, reasoning])).toEqual([
    ['user', 'How long?', ''],
    ['assistant', 'An hour.', 'Hm'],
  ])
  expect([...files.values()]).toEqual([[{ id: 'claude-m1-0', name: 'recipe.txt', source: 'Boil it.' }]])
  expect(new Map(leftOut)).toEqual(
    new Map([
      ['files that are not in the export', 1],
      ['steps of tools', 1],
    ]),
  )
})

test('an export is read from its zip, file by file, and a second time adds nothing', async () => {
  const files = {
    'export/conversations-000.json': strToU8(JSON.stringify([CHATGPT])),
    'export/conversations-001.json': strToU8(JSON.stringify([{ ...CHATGPT, conversation_id: 'other' }])),
    'export/user.json': strToU8('{}'),
    'export/file-1.png': strToU8('x'),
  }
  const zip = new File([zipSync(files) as Uint8Array<ArrayBuffer>], 'export.zip')
  const report = await importFile(zip, db)
  expect(report).toMatchObject({ format: 'ChatGPT', added: 2, known: 0, messages: 6, refused: 0 })
  expect(report.files.map(({ name, isImported, chats }) => [name, isImported, chats])).toEqual([
    ['export/conversations-000.json', true, 1],
    ['export/conversations-001.json', true, 1],
    ['export/user.json', false, 0],
    ['export/file-1.png', false, 0],
  ])
  expect(await importFile(zip, db)).toMatchObject({ added: 0, known: 2, messages: 0 })
  const [chat] = await db.conversations.toArray()
  expect(shownTurns((await loadThread(chat?.id ?? ''))!)).toHaveLength(2)
})

test('a Claude export is taken as plain JSON', async () => {
  const report = await importFile(
    new File([JSON.stringify([CLAUDE, { uuid: 'empty', chat_messages: [] }])], 'conversations.json'),
    db,
  )
  expect(report).toMatchObject({ format: 'Claude', added: 1, messages: 2, refused: 1 })
})

test('whatever a file says, it is read or left out, and never loops', () => {
  const anything = fc.object({
    key: fc.constantFrom(
      'id',
      'mapping',
      'parent',
      'message',
      'author',
      'role',
      'content',
      'parts',
      'current_node',
      'a',
      '__proto__',
      'uuid',
      'chat_messages',
      'sender',
      'text',
    ),
    values: [fc.constantFrom<unknown>('a', 'user', 'assistant', 'human', '', null, 5, true)],
    maxDepth: 6,
  })
  fc.assert(
    fc.property(anything, (item) => {
      for (const converted of [
        fromChatGpt({ ...item, id: 'x' }, 0, none),
        fromClaude({ ...item, uuid: 'x' }, 0, none),
      ]) {
        if (converted) expect(shownTurns(converted.thread).length).toBeGreaterThan(0)
      }
    }),
    { numRuns: 300 },
  )
})

test('nodes that name each other as parents are left out', () => {
  const mapping = { ...node('a', 'b', 'user', 'x'), ...node('b', 'a', 'user', 'y') }
  expect(fromChatGpt({ id: 'x', mapping, current_node: 'a' }, 0, none)).toBeUndefined()
})
