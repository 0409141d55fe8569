import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { bindKeys, capsOf, checkKeys, resetKeys } from '@/lib/browser/rebind-shortcut'
import {
  chosenKeys,
  createKeyReader,
  isLetter,
  type KeyPress,
  keysOf,
  SECOND_STROKE_MS,
  SHORTCUTS,
  strokesOf,
} from '@/lib/browser/shortcuts'

// The process is shared with other files.
afterAll(() => void vi.unstubAllGlobals())

const NOTHING = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }
const press = (key: string, code: string, held: Partial<KeyPress> = {}): KeyPress => ({
  ...NOTHING,
  key,
  code,
  ...held,
})
const everywhere = () => true

beforeEach(() => {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  vi.stubGlobal('localStorage', storage)
})

test.each<[string, KeyPress, string]>([
  ['a letter with Ctrl', press('k', 'KeyK', { ctrlKey: true }), 'Mod+k'],
  ['the same with Cmd', press('k', 'KeyK', { metaKey: true }), 'Mod+k'],
  ['a letter that Shift made large', press('O', 'KeyO', { ctrlKey: true, shiftKey: true }), 'Mod+Shift+o'],
  ['a sign that Shift made another', press('"', 'Quote', { ctrlKey: true, shiftKey: true }), "Mod+Shift+'"],
  ['a sign of a keyboard of another layout', press('?', 'Minus', { shiftKey: true }), '?'],
  ['a letter that Alt changed on a Mac', press('µ', 'KeyM', { altKey: true }), 'Alt+m'],
  ['an arrow', press('ArrowUp', 'ArrowUp', { altKey: true }), 'Alt+ArrowUp'],
  ['a letter in another script, by its place', press('л', 'KeyK', { ctrlKey: true }), 'Mod+k'],
  ['the space bar', press(' ', 'Space', { ctrlKey: true }), 'Mod+Space'],
])('%s is written as it is looked for', (_, pressed, keys) => {
  expect(strokesOf(pressed)).toContain(keys)
})

test('a modifier alone is no stroke', () => {
  expect(strokesOf(press('Shift', 'ShiftLeft', { shiftKey: true }))).toEqual([])
  expect(strokesOf(press('AltGraph', 'AltRight'))).toEqual([])
})

test('every key of the table is found by the press that makes it, and belongs to one command', () => {
  const all = SHORTCUTS.filter(({ keys }) => !keys.includes(' ')).map(({ keys }) => keys)
  expect(new Set(all).size).toBe(all.length)
  for (const shortcut of SHORTCUTS.filter(({ isFixed }) => !isFixed)) {
    expect(checkKeys(shortcut.id, shortcut.keys, {})).toEqual({ kind: 'free' })
  }
})

test('two letters after one another are one shortcut, if the second comes in time', () => {
  const reader = createKeyReader()
  expect(reader.read(press('g', 'KeyG'), 0, {}, everywhere)).toBeUndefined()
  expect(reader.read(press('r', 'KeyR'), 200, {}, everywhere)?.id).toBe('go-rpc')
  expect(reader.read(press('g', 'KeyG'), 1_000, {}, everywhere)).toBeUndefined()
  expect(reader.read(press('r', 'KeyR'), 1_000 + SECOND_STROKE_MS, {}, everywhere)).toBeUndefined()
})

test('a first letter does not outlive another key', () => {
  const reader = createKeyReader()
  reader.read(press('g', 'KeyG'), 0, {}, everywhere)
  expect(reader.read(press('x', 'KeyX'), 100, {}, everywhere)).toBeUndefined()
  expect(reader.read(press('r', 'KeyR'), 200, {}, everywhere)).toBeUndefined()
})

test('what does not count where it was pressed is as if nothing was pressed', () => {
  const reader = createKeyReader()
  expect(reader.read(press('l', 'KeyL'), 0, {}, () => false)).toBeUndefined()
  expect(reader.read(press('l', 'KeyL'), 0, {}, everywhere)?.id).toBe('ledger')
})

test('keys that were chosen replace those of the table', () => {
  bindKeys('ledger', 'Mod+Shift+l')
  const reader = createKeyReader()
  expect(reader.read(press('l', 'KeyL'), 0, chosenKeys(), everywhere)).toBeUndefined()
  expect(reader.read(press('L', 'KeyL', { ctrlKey: true, shiftKey: true }), 0, chosenKeys(), everywhere)?.id).toBe(
    'ledger',
  )
})

test('who takes the keys of another command is told, and the other one loses them', () => {
  expect(checkKeys('ledger', 'Mod+k', {})).toMatchObject({ kind: 'conflict', with: { id: 'palette' } })
  bindKeys('ledger', 'Mod+k')
  const palette = SHORTCUTS.find(({ id }) => id === 'palette')!
  expect(keysOf(palette, chosenKeys())).toBe('')
  resetKeys()
  expect(keysOf(palette, chosenKeys())).toBe('Mod+k')
})

test('one command is reset without the others', () => {
  bindKeys('ledger', 'x')
  bindKeys('sidebar', 'Mod+Shift+b')
  resetKeys('ledger')
  expect(chosenKeys()).toEqual({ sidebar: 'Mod+Shift+b' })
})

test('keys that a browser keeps, that move around or that are fixed are refused', () => {
  expect(checkKeys('ledger', 'Mod+w', {}).kind).toBe('refused')
  expect(checkKeys('ledger', 'Enter', {}).kind).toBe('refused')
  expect(checkKeys('ledger', 'ArrowDown', {}).kind).toBe('refused')
  expect(checkKeys('ledger', 'Escape', {}).kind).toBe('refused')
})

test('a letter that begins the keys of another command is in conflict with it', () => {
  expect(checkKeys('ledger', 'g', {})).toMatchObject({ kind: 'conflict' })
})

test('what is kept and cannot be read counts as nothing', () => {
  expect(chosenKeys('{"ledger":5,"nobody":"x","stop":"x"}')).toEqual({})
  expect(chosenKeys('[')).toEqual({})
  expect(chosenKeys('null')).toEqual({})
})

test('the switch for single letters knows them', () => {
  expect(['l', '?', 'g r', 'Shift+x'].map(isLetter)).toEqual([true, true, true, true])
  expect(['Mod+k', 'Alt+ArrowUp', 'Escape', 'ArrowUp'].map(isLetter)).toEqual([false, false, false, false])
})

test('keys are shown as they stand on the keyboard', () => {
  expect(capsOf('Mod+Shift+o', false)).toEqual(['Ctrl', 'Shift', 'O'])
  expect(capsOf('Mod+Shift+o', true)).toEqual(['⌘', '⇧', 'O'])
  expect(capsOf('g r', false)).toEqual(['G', 'R'])
  expect(capsOf('Alt+ArrowUp', false)).toEqual(['Alt', '↑'])
  expect(capsOf('Mod++', false)).toEqual(['Ctrl', '+'])
})
