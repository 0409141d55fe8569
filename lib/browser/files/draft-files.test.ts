import 'fake-indexeddb/auto'
import { beforeEach, expect, test } from 'vitest'
import { readDraft, restoreDraft, saveDraft, takeSentDraft } from '@/lib/browser/drafts'
import { changeDraftFiles, draftFilesOf, readyAttachments } from '@/lib/browser/files/draft-file-state'
import {
  addDraftFiles,
  clearDraftFiles,
  moveDraftFile,
  putDraftFiles,
  removeDraftFile,
} from '@/lib/browser/files/draft-files'
import { MAX_DRAFT_FILES } from '@/lib/browser/files/limits'
import { loadDraftFiles, openDraftFiles } from '@/lib/browser/files/stored-draft-files'
import { attachmentOf, stubWorkers } from '@/lib/browser/files/testing'
import { loadBlob } from '@/lib/browser/storage/blobs'
import { db } from '@/lib/browser/storage/database'
import { eventually } from '@/lib/kernel/testing/time'

let chatId = ''
let count = 0

beforeEach(() => {
  count += 1
  chatId = `chat-${count}`
  stubWorkers()
})

const textFile = (name: string, text = 'Some words.') => new File([text], name, { type: 'text/plain' })
const names = (id = chatId) => draftFilesOf(id).map(({ name }) => name)
const settled = (id = chatId) =>
  eventually(() => expect(draftFilesOf(id).every(({ state }) => state !== 'reading')).toBe(true))

test('files that were added are there after the page was left, with their bytes', async () => {
  await addDraftFiles(chatId, [textFile('a.txt'), textFile('b.txt', 'Other words.')])
  await settled()
  await eventually(async () =>
    expect((await loadDraftFiles(chatId)).map(({ name }) => name)).toEqual(['a.txt', 'b.txt']),
  )
  const [first] = await loadDraftFiles(chatId)
  expect(await (await loadBlob(first?.hash ?? ''))?.text()).toBe('Some words.')
})

test('what was kept comes back once, and does not push away what is there already', async () => {
  const kept = attachmentOf('image')
  await db.draftFiles.put({ chatId, attachments: [kept] })
  await addDraftFiles(chatId, [textFile('new.txt')])
  await settled()
  expect(names()).toEqual([kept.name, 'new.txt'])
  await openDraftFiles(chatId)
  expect(names()).toHaveLength(2)
})

test('a file of no known type is not taken, and says why', async () => {
  await addDraftFiles(chatId, [new File([new Uint8Array([0x7f, 0x45, 0, 0])], 'program')])
  await settled()
  expect(draftFilesOf(chatId)[0]).toMatchObject({ state: 'failed', canRetry: false, reason: /cannot be read/ })
  expect(await loadDraftFiles(chatId)).toEqual([])
})

test('a file that is taken away while it is read does not come back', async () => {
  await addDraftFiles(chatId, [textFile('a.txt', 'x'.repeat(5_000_000)), textFile('b.txt')])
  const [first] = draftFilesOf(chatId)
  removeDraftFile(chatId, first?.id ?? '')
  await settled()
  expect(names()).toEqual(['b.txt'])
  await eventually(async () => expect(await loadDraftFiles(chatId)).toHaveLength(1))
})

test('a file that was taken away can be brought back to its place', async () => {
  changeDraftFiles(chatId, () => [])
  await putDraftFiles(
    chatId,
    ['a', 'b', 'c'].map((name) => attachmentOf('document', { name })),
  )
  const undo = removeDraftFile(chatId, draftFilesOf(chatId)[1]?.id ?? '')
  expect(names()).toEqual(['a', 'c'])
  undo?.()
  expect(names()).toEqual(['a', 'b', 'c'])
})

test('files move within their row and not out of it', async () => {
  await putDraftFiles(
    chatId,
    ['a', 'b', 'c'].map((name) => attachmentOf('image', { name })),
  )
  const id = (name: string) => draftFilesOf(chatId).find((file) => file.name === name)?.id ?? ''
  moveDraftFile(chatId, id('a'), 1)
  expect(names()).toEqual(['b', 'a', 'c'])
  moveDraftFile(chatId, id('a'), 9)
  expect(names()).toEqual(['b', 'c', 'a'])
  moveDraftFile(chatId, id('b'), -5)
  expect(names()).toEqual(['b', 'c', 'a'])
})

test('a draft holds so many files, and says how many were left out', async () => {
  const files = Array.from({ length: MAX_DRAFT_FILES + 3 }, (_, at) => textFile(`${at}.txt`))
  expect(await addDraftFiles(chatId, files)).toBe(3)
  await settled()
  expect(draftFilesOf(chatId)).toHaveLength(MAX_DRAFT_FILES)
})

test('what was sent and came to nothing is back in the draft, before what was written since', async () => {
  const attachment = attachmentOf('image')
  saveDraft(chatId, 'Written since.')
  await restoreDraft(chatId, { text: 'The question.', attachments: [attachment] })
  expect(readDraft(chatId)).toBe('The question.\n\nWritten since.')
  expect(readyAttachments(draftFilesOf(chatId))).toEqual([attachment])
  await restoreDraft(chatId, { text: readDraft(chatId), attachments: [attachment] })
  expect(readDraft(chatId)).toBe('The question.\n\nWritten since.')
  expect(draftFilesOf(chatId)).toHaveLength(1)
})

test('the draft of a temporary chat is written nowhere', async () => {
  const temporary = `temporary-${chatId}`
  await addDraftFiles(temporary, [textFile('secret.txt', 'For my eyes only.')])
  await settled(temporary)
  saveDraft(temporary, 'Nobody knows.')
  await eventually(async () => expect(await loadDraftFiles(temporary)).toHaveLength(1))
  expect(await db.draftFiles.get(temporary)).toBeUndefined()
  expect(await db.blobs.filter(({ size }) => size === 'For my eyes only.'.length).count()).toBe(0)
  expect(readDraft(temporary)).toBe('Nobody knows.')
})

test('a draft that was sent is empty, and stays so', async () => {
  await putDraftFiles(chatId, [attachmentOf('image')])
  clearDraftFiles(chatId)
  expect(draftFilesOf(chatId)).toEqual([])
  await eventually(async () => expect(await loadDraftFiles(chatId)).toEqual([]))
})

test('what was typed and added while a question was on its way stays', async () => {
  const [sent, since] = [attachmentOf('image'), { ...attachmentOf('image'), id: 'since' }]
  saveDraft(chatId, 'The question. ')
  await putDraftFiles(chatId, [sent])
  saveDraft(chatId, 'The question. And another')
  changeDraftFiles(chatId, (files) => [
    ...files,
    { id: since.id, name: 'since.png', size: 1, state: 'ready', attachment: since },
  ])
  takeSentDraft(chatId, 'The question. ')
  clearDraftFiles(chatId, [sent.id])
  expect(readDraft(chatId)).toBe('And another')
  expect(draftFilesOf(chatId).map(({ id }) => id)).toEqual(['since'])
  takeSentDraft(chatId, 'something else')
  expect(readDraft(chatId)).toBe('And another')
})
