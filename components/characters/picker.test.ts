import { expect, test } from 'vitest'
import { isFound } from '@/components/characters/gallery-filters'
import { pickerSections } from '@/components/characters/picker'
import { initialsOf } from '@/components/characters/portrait-image'
import type { LocalCharacter } from '@/lib/browser/storage/records'
import type { Character } from '@/lib/contract/characters/character.schema'

const local = (id: string, name: string): LocalCharacter => ({
  id,
  name,
  description: `${name} here`,
  systemPrompt: '',
  greeting: '',
  tags: ['own'],
  createdAt: 0,
  updatedAt: 0,
})
const shared = (slug: string, name: string) =>
  ({ slug, name, description: null, tags: ['sea'] }) as unknown as Character

const KNOWN = {
  search: '',
  favourites: [] as string[],
  recent: [] as { id: string; name: string }[],
  local: [local('l1', 'Ada')],
  named: [] as Character[],
  all: [shared('bo', 'Bo'), shared('cy', 'Cy')],
}
const listed = (known: Partial<typeof KNOWN>) =>
  pickerSections({ ...KNOWN, ...known }).map(({ title, choices }) => [title, choices.map(({ ref }) => ref.id)])

test('one’s own come before those of the service', () => {
  expect(listed({})).toEqual([
    ['Yours', ['l1']],
    ['All characters', ['bo', 'cy']],
  ])
})

test('everybody is listed once: with a star, used last, or by where they are', () => {
  const favourites = ['cy', 'far', 'gone']
  const recent = [
    { id: 'l1', name: 'Ada' },
    { id: 'cy', name: 'Cy' },
  ]
  expect(listed({ favourites, recent, named: [shared('far', 'Far')] })).toEqual([
    ['Favourites', ['cy', 'far']],
    ['Recent', ['l1']],
    ['All characters', ['bo']],
  ])
})

test('a search narrows what this browser knows as the service narrows its own', () => {
  expect(listed({ search: 'ada', all: [] })).toEqual([['Yours', ['l1']]])
  expect(listed({ search: 'whale', all: [] })).toEqual([])
  expect(isFound(local('x', 'Ada'), '#ow here')).toBe(true)
  expect(isFound(local('x', 'Ada'), '#here')).toBe(false)
})

test.each([
  ['Captain Ines Haldane', 'CH'],
  ['rook', 'R'],
  ['élan vital', 'ÉV'],
  ['李 明', '李明'],
  ['✦ 7 of Nine', '7N'],
  ['…', '·'],
])('%s has the letters %s', (name, letters) => {
  expect(initialsOf(name)).toBe(letters)
})
