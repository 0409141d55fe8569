import 'fake-indexeddb/auto'
import { strToU8, zipSync } from 'fflate'
import { beforeEach, expect, test } from 'vitest'
import { readDirectory, readEntry } from '@/components/history/archive/foreign-files'
import { importFile } from '@/components/history/archive/import'
import { loadThread } from '@/lib/browser/storage/chats'
import { db } from '@/lib/browser/storage/database'
import { shownTurns } from '@/lib/browser/storage/thread'
import { writeWav } from '@/lib/services/media/wav'

beforeEach(() => Promise.all(db.tables.map((table) => table.clear())))

const AUDIO = writeWav(new Float32Array(1_600), 16_000)
const NOTES = strToU8('High water at six.')

const message = (role: string, parts: unknown[], attachments: object[] = []) => ({
  author: { role },
  content: { content_type: 'multimodal_text', parts },
  metadata: { attachments },
})
const image = (id: string) => ({ content_type: 'image_asset_pointer', asset_pointer: `sediment://${id}?shared=1` })

const CHATGPT = {
  id: 'chat-1',
  title: 'Files',
  current_node: 'answer',
  mapping: {
    question: {
      id: 'question',
      parent: null,
      message: message(
        'user',
        ['What is this?', image('file_00000000gone0001')],
        [
          { id: 'file-Notes12345', name: 'notes.md' },
          { id: 'file-Sound12345', name: '' },
          { id: 'file-Odd1234567', name: 'odd.bin' },
        ],
      ),
    },
    bare: {
      id: 'bare',
      parent: 'question',
      message: message('user', [], [{ id: 'file-Odd1234567', name: 'odd.bin' }]),
    },
    drawn: { id: 'drawn', parent: 'bare', message: message('tool', [image('file-Notes12345')]) },
    answer: { id: 'answer', parent: 'drawn', message: message('assistant', ['A tide table.']) },
  },
}

const zipOf = (files: Record<string, Uint8Array>, name = 'export.zip') =>
  new File([zipSync(files) as Uint8Array<ArrayBuffer>], name)

const chatGptZip = () =>
  zipOf({
    'file-Notes12345-notes.md': NOTES,
    'file-Sound12345.dat': AUDIO,
    'file-Odd1234567-odd.bin': new Uint8Array([0, 1, 2, 3]),
    'conversation_asset_file_names.json': strToU8('{"file-Sound12345.dat":"voice.wav"}'),
    'conversations.json': strToU8(JSON.stringify([CHATGPT])),
  })

async function turns() {
  const [chat] = await db.conversations.toArray()
  return shownTurns((await loadThread(chat?.id ?? ''))!)
}

test('files of a ChatGPT export come along with their messages, under the names that they had', async () => {
  const report = await importFile(chatGptZip(), db)
  expect(report).toMatchObject({ added: 1, messages: 4, attached: 3 })
  expect(new Map(report.leftOut)).toEqual(
    new Map([
      ['files that are not in the export', 1],
      ['files that cannot be read or sent', 2],
    ]),
  )
  expect(report.files.filter(({ isImported }) => isImported).map(({ name }) => name)).toEqual([
    'file-Notes12345-notes.md',
    'file-Sound12345.dat',
    'conversations.json',
  ])
  const shown = await turns()
  expect(
    shown.map(({ role, text, attachments = [] }) => [role, text, attachments.map(({ kind, name }) => [kind, name])]),
  ).toEqual([
    [
      'user',
      'What is this?',
      [
        ['document', 'notes.md'],
        ['audio', 'voice.wav'],
      ],
    ],
    // A message that was nothing but a file which is not taken is at least its name.
    ['user', 'odd.bin', []],
    ['assistant', '', [['document', 'notes.md']]],
    ['assistant', 'A tide table.', []],
  ])
  const [notes, audio] = shown[0]?.attachments ?? []
  expect(audio).toMatchObject({ mediaType: 'audio/wav', durationMs: 100, size: AUDIO.length })
  const kept = await db.blobs.get(notes?.hash ?? '')
  expect(await kept?.data.text()).toBe('High water at six.')
  expect(await db.blobs.count()).toBe(2)
})

test('taken twice, an export adds no file again; one that came without them before is made whole', async () => {
  await importFile(new File([JSON.stringify([CHATGPT])], 'conversations.json'), db)
  expect((await turns())[0]?.attachments).toBeUndefined()
  expect(await importFile(chatGptZip(), db)).toMatchObject({ known: 1, attached: 3 })
  const before = await db.messages.toArray()
  expect(await importFile(chatGptZip(), db)).toMatchObject({ added: 0, known: 1, messages: 0, attached: 0 })
  expect(await db.messages.toArray()).toEqual(before)
})

test('documents of a Claude export are files again; those whose bytes it has are found by id or name', async () => {
  const uuid = '1d0cf8a2-1111-4222-8333-444455556666'
  const chat = {
    uuid,
    name: 'Soup',
    chat_messages: [
      {
        uuid: 'm1',
        sender: 'human',
        text: '',
        attachments: [{ file_name: 'recipe.pdf', extracted_content: 'Boil it.' }],
        files: [{ file_uuid: uuid, file_name: 'a.wav' }, { file_name: 'only.txt' }, { file_name: 'twice.txt' }],
      },
    ],
  }
  const report = await importFile(
    zipOf({
      'conversations.json': strToU8(JSON.stringify([chat])),
      [`files/${uuid}.wav`]: AUDIO,
      'files/only.txt': NOTES,
      'a/twice.txt': NOTES,
      'b/twice.txt': NOTES,
    }),
    db,
  )
  expect(report).toMatchObject({ format: 'Claude', attached: 3, leftOut: [['files that are not in the export', 1]] })
  expect((await turns())[0]?.attachments?.map(({ kind, name }) => [kind, name])).toEqual([
    ['document', 'recipe.pdf.txt'],
    ['audio', 'a.wav'],
    ['document', 'only.txt'],
  ])
})

test('a file that says it is small is not unpacked further than it may be', async () => {
  const zip = await zipOf({ 'a.txt': new Uint8Array(3_000_000) }).arrayBuffer()
  const [entry] = await readDirectory(new Blob([zip]))
  expect(entry).toMatchObject({ path: 'a.txt', method: 8, size: 3_000_000 })
  expect(await readEntry(new Blob([zip]), { ...entry!, size: 10 }, 1_000_000)).toBeUndefined()
  expect((await readEntry(new Blob([zip]), entry!, 3_000_000))?.size).toBe(3_000_000)
})

test('a directory that is cut, lies or points elsewhere is read as far as it holds, or not at all', async () => {
  const zip = new Uint8Array(await chatGptZip().arrayBuffer())
  for (let cut = 0; cut < zip.length; cut += 7) {
    expect(await readDirectory(new Blob([zip.slice(0, cut)]))).toEqual([])
  }
  for (let at = 0; at < zip.length; at += 3) {
    const bent = zip.slice()
    bent[at] = (bent[at] ?? 0) ^ 0xff
    const blob = new Blob([bent])
    for (const entry of await readDirectory(blob)) {
      await readEntry(blob, entry, 100_000).catch((error) => expect(error.name).toBe('ArchiveError'))
    }
  }
})
