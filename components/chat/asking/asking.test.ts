import { expect, test } from 'vitest'
import { parseQueue } from '@/components/chat/asking/queue'
import { neighbour, versioned } from '@/components/chat/turns/thread'
import { isChanged } from '@/lib/browser/chat-setup'
import { titleOf } from '@/lib/browser/storage/chats'
import type { Turn } from '@/lib/browser/storage/thread'

test('what waited before a reload is read back; what cannot be read is passed over', () => {
  const kept = JSON.stringify([{ id: 'a', modelId: 'm', text: 'Hi' }, { id: 5 }, null, 'x', { id: 'b', modelId: 'm' }])
  expect(parseQueue(kept)).toEqual([{ id: 'a', modelId: 'm', outgoing: { text: 'Hi', attachments: [] } }])
  expect(parseQueue(null)).toEqual([])
  expect(parseQueue('{}')).toEqual([])
  expect(parseQueue(JSON.stringify(Array(100).fill({ id: 'a', modelId: 'm', text: '' })))).toHaveLength(20)
})

test('a chat is changed by what is set, and not by its sources', () => {
  expect(isChanged({})).toBe(false)
  expect(isChanged({ sources: { web: 'on' } })).toBe(false)
  expect(isChanged({ temperature: 0 })).toBe(true)
  expect(isChanged({ isThinkingOff: true })).toBe(true)
})

test('a title is the first line, cut between words', () => {
  expect(titleOf('Tides\nand more')).toBe('Tides')
  expect(titleOf('  ', 'boat.png')).toBe('boat.png')
  const long = titleOf('word '.repeat(40))
  expect(long).toMatch(/word…$/)
  expect(long.length).toBeLessThanOrEqual(61)
  expect(titleOf('x'.repeat(100))).toHaveLength(61)
})

const turn = (id: string, versions: string[]) => ({ id, versions }) as Turn

test('keys go through the versions of the turn with the focus, else of the last that has any', () => {
  const turns = [turn('a', ['a', 'a2']), turn('b', ['b']), turn('c', ['c0', 'c'])]
  expect(versioned(turns, 'a')?.id).toBe('a')
  expect(versioned(turns, 'b')?.id).toBe('c')
  expect(versioned(turns, undefined)?.id).toBe('c')
  expect(neighbour(turn('c', ['c0', 'c']), -1)).toBe('c0')
  expect(neighbour(turn('c', ['c0', 'c']), 1)).toBeUndefined()
})
