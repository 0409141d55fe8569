import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupChats } from '@/components/history/groups'
import type { Conversation, Folder } from '@/lib/browser/storage/records'

const NOW = new Date('2026-11-20T10:00:00').getTime()
const HOUR = 3_600_000
const chat = (id: string, more: Partial<Conversation> = {}): Conversation => ({
  id,
  title: id,
  isNamed: false,
  createdAt: 0,
  updatedAt: NOW,
  modelId: 'm',
  branches: {},
  ...more,
})
const FOLDER: Folder = { id: 'f', name: 'Work', position: 1 }
const shape = (groups: ReturnType<typeof groupChats>) =>
  groups.map(({ title, chats }) => [title, chats.map(({ id }) => id)])

test('pinned chats come first, then folders, then days', () => {
  const chats = [
    chat('new'),
    chat('filed', { folderId: 'f' }),
    chat('pinned', { isPinned: true, folderId: 'f' }),
    chat('old', { updatedAt: NOW - 30 * HOUR }),
    chat('lost', { folderId: 'gone' }),
    chat('away', { isArchived: true }),
  ]
  expect(shape(groupChats(chats, [FOLDER], NOW))).toEqual([
    ['Pinned', ['pinned']],
    ['Work', ['filed']],
    ['Today', ['new', 'lost']],
    ['Yesterday', ['old']],
  ])
  expect(shape(groupChats(chats, [FOLDER], NOW, { isArchive: true }))).toEqual([['Archived', ['away']]])
})

test('an empty folder shows, but not while a tag is looked at', () => {
  const chats = [chat('a', { tags: ['x'] })]
  expect(shape(groupChats(chats, [FOLDER], NOW))[0]).toEqual(['Work', []])
  expect(shape(groupChats(chats, [FOLDER], NOW, { tag: 'x' }))).toEqual([['Today', ['a']]])
  expect(groupChats(chats, [FOLDER], NOW, { tag: 'y' })).toEqual([])
})

test('every chat is shown once, in the list or in the archive', () => {
  const chats = fc.uniqueArray(
    fc.record({
      id: fc.uuid(),
      isPinned: fc.boolean(),
      isArchived: fc.boolean(),
      folderId: fc.constantFrom('f', 'gone', undefined),
      updatedAt: fc.integer({ min: 0, max: NOW + HOUR }),
    }),
    { selector: ({ id }) => id, maxLength: 30 },
  )
  fc.assert(
    fc.property(chats, (made) => {
      const all = made.map(({ folderId, ...rest }) => chat(rest.id, { ...rest, ...(folderId && { folderId }) }))
      const shown = [...groupChats(all, [FOLDER], NOW), ...groupChats(all, [FOLDER], NOW, { isArchive: true })]
      expect(shown.flatMap(({ chats }) => chats.map(({ id }) => id)).toSorted()).toEqual(
        all.map(({ id }) => id).toSorted(),
      )
    }),
    { numRuns: 100 },
  )
})
