import { expect, test, vi } from 'vitest'
import { COMMANDS, type CommandContext } from '@/components/chat/composer/commands'
import { isSendKey, triggerAt, withoutTrigger } from '@/components/chat/composer/field'
import { levelOf } from '@/components/common/recorder'
import { modelOf } from '@/lib/browser/files/testing'
import { matching } from '@/lib/browser/palette-items'
import type { ChatSettings } from '@/lib/browser/storage/records'

const key = (changes: Partial<Parameters<typeof isSendKey>[0]> = {}) => ({
  ...{ key: 'Enter', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, keyCode: 13 },
  nativeEvent: { isComposing: false },
  ...changes,
})

test.each([
  ['Enter', key(), true, true],
  ['Enter where it makes a line', key(), false, false],
  ['Ctrl+Enter', key({ ctrlKey: true }), false, true],
  ['Cmd+Enter', key({ metaKey: true }), true, true],
  ['Shift+Enter', key({ shiftKey: true }), true, false],
  ['Alt+Enter', key({ altKey: true }), true, false],
  ['Enter that picks a word', key({ nativeEvent: { isComposing: true } }), true, false],
  ['Enter that picks a word in Safari', key({ keyCode: 229 }), true, false],
  ['another key', key({ key: 'a', keyCode: 65 }), true, false],
])('%s', (_, event, enterSends, sends) => {
  expect(isSendKey(event, enterSends)).toBe(sends)
})

test.each([
  ['/', 1, { kind: '/', query: '', start: 0, end: 1 }],
  ['/web', 4, { kind: '/', query: 'web', start: 0, end: 4 }],
  ['/web', 2, { kind: '/', query: 'w', start: 0, end: 2 }],
  ['/usr/bin', 8, undefined],
  ['/web on', 7, undefined],
  ['say /web', 8, undefined],
  ['@', 1, { kind: '@', query: '', start: 0, end: 1 }],
  ['ask @atl', 8, { kind: '@', query: 'atl', start: 4, end: 8 }],
  ['line\n@at', 8, { kind: '@', query: 'at', start: 5, end: 8 }],
  ['me@example.org', 14, undefined],
  ['@ada said', 9, undefined],
] as const)('%j with the caret at %i', (text, caret, trigger) => {
  expect(triggerAt(text, caret)).toEqual(trigger)
})

test('what asked for a list is taken out without a trace', () => {
  const text = 'ask @atl why'
  expect(withoutTrigger(text, triggerAt(text, 8)!)).toBe('ask why')
})

test('names are found by their beginning first, then by a word, then by anything', () => {
  const all = [
    { name: 'Old Atlas' },
    { name: 'Tidal', searchTerms: 'atlantic' },
    { name: 'Atlas Large' },
    { name: 'Mini' },
  ]
  expect(matching(all, 'atl', 9).map(({ name }) => name)).toEqual(['Atlas Large', 'Old Atlas', 'Tidal'])
  expect(matching(all, '', 2)).toHaveLength(2)
  expect(matching(all, 'whale', 9)).toEqual([])
})

const contextOf = (settings: ChatSettings, supportsWebSearch = true) => {
  const change = vi.fn()
  const context: CommandContext = {
    setup: { settings, character: undefined, change },
    model: modelOf('Plain', { supportsWebSearch }),
    ...{ isBusy: false, isTemporary: false, isNew: true },
    ...{ stop: vi.fn(), setTemporary: vi.fn(), open: vi.fn(), pickFiles: vi.fn(), write: vi.fn(), clear: vi.fn() },
  }
  return { context, change }
}
const run = (name: string, context: CommandContext) => COMMANDS.find((command) => command.name === name)?.run(context)

test('a search command changes the search and nothing else', () => {
  const { context, change } = contextOf({ temperature: 1, sources: { web: 'auto', readsLinks: true } })
  run('web-off', context)
  expect(change).toHaveBeenLastCalledWith({ settings: { temperature: 1, sources: { readsLinks: true } } })
  run('web-on', context)
  expect(change).toHaveBeenLastCalledWith({ settings: { temperature: 1, sources: { web: 'on', readsLinks: true } } })
  const plain = contextOf({ temperature: 1, sources: { web: 'on' } })
  run('web-off', plain.context)
  expect(plain.change).toHaveBeenLastCalledWith({ settings: { temperature: 1 } })
})

test('only what can be done now is offered', () => {
  const offered = (context: CommandContext) =>
    COMMANDS.filter(({ isOffered }) => isOffered?.(context) ?? true).map(({ name }) => name)
  const { context } = contextOf({})
  expect(offered(context)).toEqual(expect.arrayContaining(['new', 'web-on', 'web-auto', 'clear']))
  expect(offered(context)).not.toContain('web-off')
  expect(offered(context)).not.toContain('stop')
  expect(offered(contextOf({}, false).context)).not.toContain('web-on')
  expect(offered({ ...context, isBusy: true })).toContain('stop')
})

test('silence is no level, and full scale no more than all', () => {
  expect(levelOf(new Float32Array(100))).toBe(0)
  expect(levelOf(new Float32Array(100).fill(1))).toBe(1)
})
