import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, test } from 'vitest'
import { characterPrompt, localPrompt } from '@/lib/browser/characters'
import { keepBlob, loadBlob } from '@/lib/browser/storage/blobs'
import { addMessages, recentCharacters, recentModels } from '@/lib/browser/storage/chats'
import { db } from '@/lib/browser/storage/database'
import { listFavourites, toggleFavourite } from '@/lib/browser/storage/favourites'
import { updateChats } from '@/lib/browser/storage/folders-and-tags'
import {
  deleteLocal,
  EMPTY_DRAFT,
  findLocal,
  listLocal,
  restoreLocal,
  saveLocal,
} from '@/lib/browser/storage/own-characters'

const NOBODY = { name: '', about: '' }

beforeEach(() => Promise.all(db.tables.map((table) => table.clear())))

describe('a character of this browser', () => {
  test('is kept clean and within bounds, changed, and listed by its last change', async () => {
    const first = await saveLocal({ ...EMPTY_DRAFT, name: ' A\u202eda  Löwe ', tags: ['#Sea', 'sea', ' '] })
    expect(first).toMatchObject({ name: 'Ada Löwe', tags: ['sea'] })
    const second = await saveLocal({ ...EMPTY_DRAFT, name: 'x'.repeat(500), systemPrompt: 'y'.repeat(50_000) })
    expect([second.name.length, second.systemPrompt.length]).toEqual([80, 20_000])
    const changed = await saveLocal({ ...first, greeting: 'Hello' }, first.id)
    expect(changed).toMatchObject({ id: first.id, createdAt: first.createdAt, greeting: 'Hello' })
    expect(await db.characters.count()).toBe(2)
    expect((await listLocal())[0]?.updatedAt).toBeGreaterThanOrEqual(second.updatedAt)
  })

  test('is deleted, and comes back with its picture when that is taken back', async () => {
    const portrait = await keepBlob('', new Blob(['picture']))
    const { id } = await saveLocal({ ...EMPTY_DRAFT, name: 'Ada', portrait })
    const removed = await deleteLocal(id)
    await db.blobs.clear()
    expect(await findLocal(id)).toBeUndefined()
    if (removed) await restoreLocal(removed)
    expect(await findLocal(id)).toMatchObject({ name: 'Ada', portrait })
    expect(await loadBlob(portrait)).toBeDefined()
    expect(await deleteLocal('nobody')).toBeUndefined()
  })

  test('is asked by its words, with the names filled in', async () => {
    const { id } = await saveLocal({
      ...EMPTY_DRAFT,
      name: 'Ada $&',
      systemPrompt: '{{char}} keeps a light. {{// a note }}{{user}} visits.',
      greeting: 'Welcome, {{user}}. I am {{char}}.',
    })
    expect(await characterPrompt({ id, name: 'Ada', isLocal: true })).toEqual({
      systemPrompt: 'You are Ada $&. Answer as Ada $&.\n\nAda $& keeps a light. User visits.',
      greeting: 'Welcome, User. I am Ada $&.',
    })
    expect(await characterPrompt({ id: 'gone', name: 'Gone', isLocal: true })).toEqual({})
  })
})

test('who the person is goes along with what a character says', () => {
  const ada = { name: 'Ada', systemPrompt: 'You are {{char}}.', greeting: 'Hi {{user}}' }
  expect(localPrompt(ada, { name: 'Kim', about: 'A sailor.' })).toEqual({
    systemPrompt: 'You are Ada.\n\nThe person you are talking to is called Kim. About them: A sailor.',
    greeting: 'Hi Kim',
  })
  expect(localPrompt(ada, NOBODY).systemPrompt).toBe('You are Ada.')
})

test('a public character is asked by its slug alone', async () => {
  expect(await characterPrompt({ id: 'code-reviewer', name: 'Rook' })).toEqual({ slug: 'code-reviewer' })
})

test('a star is given and taken back, and the latest comes first', async () => {
  expect(await toggleFavourite('model', 'a')).toBe(true)
  await new Promise((resolve) => setTimeout(resolve, 2))
  await toggleFavourite('model', 'b')
  await toggleFavourite('character', 'a')
  expect(await listFavourites('model')).toEqual(['b', 'a'])
  expect(await toggleFavourite('model', 'b')).toBe(false)
  expect([await listFavourites('model'), await listFavourites('character')]).toEqual([['a'], ['a']])
})

test('what was used last is what the latest chats were asked with', async () => {
  const chat = async (id: string, modelId: string, character?: { id: string; name: string }) => {
    await addMessages({ id, title: id, modelId, ...(character && { character }) }, [])
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await chat('1', 'old', { id: 'ada', name: 'Ada' })
  await chat('2', 'new', { id: 'bo', name: 'Bo' })
  await chat('3', 'old')
  await chat('4', 'deleted', { id: 'cy', name: 'Cy' })
  await updateChats(['4'], { deletedAt: Date.now() })
  expect(await recentModels(5)).toEqual(['old', 'new'])
  expect(await recentModels(1)).toEqual(['old'])
  expect(await recentCharacters(5)).toEqual([
    { id: 'bo', name: 'Bo' },
    { id: 'ada', name: 'Ada' },
  ])
})
