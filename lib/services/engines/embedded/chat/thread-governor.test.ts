import { expect, test } from 'vitest'
import { threadsFor } from '@/lib/services/engines/embedded/chat/chat-model'

const start = { atMs: 0, busyMs: 5_000, ownMs: 1_000 }
const later = (others: number, own: number) => ({
  atMs: 1_000,
  busyMs: start.busyMs + (others + own) * 1_000,
  ownMs: start.ownMs + own * 1_000,
})

test.each([
  ['all of them on an idle machine', 0, 0, 2, 2, 2],
  ['all of them when the work is its own', 0, 2, 2, 2, 2],
  ['all of them beside a little work of others', 0.3, 1.7, 2, 2, 2],
  ['what others leave', 1, 1, 2, 2, 1],
  ['one when others want everything', 2, 0, 2, 2, 1],
  ['no more than it was given on a large machine', 4, 4, 16, 4, 4],
  ['fewer on a large machine that is busy', 14, 2, 16, 4, 2],
])('a model gets %s', (_, others, own, cores, max, threads) => {
  expect(threadsFor(start, later(others, own), cores, max)).toBe(threads)
})

test('where a machine does not tell its times, a model gets all of its threads', () => {
  const blind = { atMs: 1_000, busyMs: start.busyMs, ownMs: start.ownMs + 2_000 }
  expect(threadsFor(start, blind, 2, 2)).toBe(2)
})
