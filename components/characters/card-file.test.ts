import { expect, test } from 'vitest'
import { cardJson, readLocalCard } from '@/components/characters/card-file'
import { portraitPath } from '@/lib/browser/characters'
import { fileNameOf } from '@/lib/browser/save-file'
import { EMPTY_DRAFT } from '@/lib/browser/storage/own-characters'

const json = (card: unknown) => new Blob([JSON.stringify(card)])
const v3 = (data: object) => json({ spec: 'chara_card_v3', data: { name: 'Ada', ...data } })

test('a card becomes a character of this browser, its examples among its words', async () => {
  const { draft, warnings, portrait } = await readLocalCard(
    v3({
      description: 'Keeps a light.',
      first_mes: 'Hello',
      mes_example: '<START>\n{{user}}: Hi\n{{char}}: Ahoy',
      tags: ['Sea'],
    }),
  )
  expect(draft).toMatchObject({ name: 'Ada', greeting: 'Hello', tags: ['sea'] })
  expect(draft.systemPrompt).toMatch(/^Keeps a light\.[\s\S]*\{\{user\}\}: Hi\n\{\{char\}\}: Ahoy$/)
  expect([warnings, portrait]).toEqual([[], undefined])
})

test('what is exported is read back as it was', async () => {
  const draft = {
    ...EMPTY_DRAFT,
    name: 'Zoë <b>',
    description: 'D',
    systemPrompt: 'P {{user}}',
    greeting: 'G',
    tags: ['t'],
  }
  const card = cardJson({ ...draft, id: 'x', createdAt: 0, updatedAt: 0 })
  expect((await readLocalCard(card)).draft).toEqual(draft)
})

test.each([
  ['is no card', json({ name: 'x' })],
  ['is no JSON', new Blob(['{'])],
  ['is a picture without a card', new Blob([Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)])],
  ['is a picture of another kind', new Blob([Uint8Array.of(0xff, 0xd8, 0xff)])],
])('a file that %s is refused in words', async (_, file) => {
  await expect(readLocalCard(file)).rejects.toMatchObject({ name: 'CardError', message: expect.stringMatching(/\.$/) })
})

test.each([
  [null, '/api/characters/night-gardener/portrait'],
  ['https://tracker.example/p.png?v=1', '/api/characters/night-gardener/portrait?v=1'],
  ['not an address', '/api/characters/night-gardener/portrait'],
])('a portrait of %s is fetched from here', (photoUrl, path) => {
  expect(portraitPath({ slug: 'night-gardener', photoUrl })).toBe(path)
})

test('a file is named after whom it holds, without what a disk does not like', () => {
  expect(fileNameOf('../Ada / "Löwe"\n', 'png')).toBe('Ada Löwe.png')
  expect(fileNameOf('???', 'json', 'character')).toBe('character.json')
  expect(fileNameOf('???', 'srt')).toBe('file.srt')
})
