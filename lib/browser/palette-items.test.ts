import { expect, test } from 'vitest'
import { type Item, includesKind, matching, readQuery } from '@/lib/browser/palette-items'

const item = (name: string, more: Partial<Item> = {}): Item => ({
  ...{ id: name, kind: 'action', name, run: () => undefined },
  ...more,
})

test('a first sign says what is looked for', () => {
  expect(readQuery('> new')).toMatchObject({ text: 'new', kinds: ['action', 'screen', 'setting'] })
  expect(includesKind(readQuery('#eth'), 'method')).toBe(true)
  expect(includesKind(readQuery('#eth'), 'chat')).toBe(false)
  expect(includesKind(readQuery('@ada'), 'character')).toBe(true)
  expect(readQuery(' tides ')).toEqual({ text: 'tides' })
  expect(includesKind(readQuery('tides'), 'chat')).toBe(true)
})

test('a name that begins so comes first, then a word that does, then the rest in its order', () => {
  const items = [item('Also new chat'), item('renew'), item('other', { searchTerms: 'new' }), item('New chat')]
  expect(matching(items, 'new', 9).map(({ name }) => name)).toEqual(['New chat', 'Also new chat', 'renew', 'other'])
})

test('every word has to be there, in any order, and parts of a method count as words', () => {
  const items = [item('eth_getBalance', { note: 'Base Mainnet' }), item('eth_call')]
  expect(matching(items, 'balance eth', 9).map(({ name }) => name)).toEqual(['eth_getBalance'])
  expect(matching(items, 'base getbalance', 9).map(({ name }) => name)).toEqual(['eth_getBalance'])
  expect(matching(items, 'eth', 1)).toHaveLength(1)
})
