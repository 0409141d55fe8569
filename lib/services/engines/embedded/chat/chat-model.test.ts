import type { Token } from 'node-llama-cpp'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { releaseSequence, type Sequence, takeSequence } from '@/lib/services/engines/embedded/chat/chat-model'
import { ownerOf } from '@/lib/services/engines/embedded/chat/conversation'

function fakeContext() {
  let held: Token[] = []
  return {
    hold: (tokens: Token[]) => {
      held = tokens
    },
    get nextTokenIndex() {
      return held.length
    },
    compareContextTokens: (tokens: Token[]) => {
      const index = held.findIndex((token, at) => token !== tokens[at])
      return { firstDifferentIndex: index < 0 ? held.length : index }
    },
    clearHistory: async () => {
      held = []
    },
  }
}
type Place = Sequence<ReturnType<typeof fakeContext>>

const tokens = (text: string) => [...text].map((letter) => letter.charCodeAt(0) as Token)
const places = (count: number): Place[] =>
  Array.from({ length: count }, () => ({ context: fakeContext(), isBusy: false, usedAt: 0 }))

async function ask(all: Place[], owner: string | undefined, prompt: string): Promise<{ place: number; found: number }> {
  const place = await takeSequence(all, owner, tokens(prompt))
  const found = place.context.compareContextTokens(tokens(prompt)).firstDifferentIndex
  place.context.hold(tokens(prompt))
  await releaseSequence(place)
  return { place: all.indexOf(place), found }
}

describe('a place', () => {
  test('is the one where most of the prompt was read for the same owner', async () => {
    const all = places(3)
    await ask(all, 'a', 'once upon a time')
    await ask(all, 'a', 'long ago')
    expect(await ask(all, 'a', 'once upon a day')).toEqual({ place: 0, found: 12 })
    expect(await ask(all, 'a', 'long ago and far away')).toEqual({ place: 1, found: 8 })
  })

  test('never shows one owner what another left', async () => {
    const all = places(2)
    await ask(all, 'a', 'secret')
    expect((await ask(all, 'b', 'secret')).found).toBe(0)
    expect((await ask(all, undefined, 'secret')).found).toBe(0)
    expect((await ask(all, 'c', 'secret')).found).toBe(0)
  })

  test('without an owner keeps nothing, for nobody', async () => {
    const all = places(1)
    await ask(all, undefined, 'secret')
    expect(all[0]?.context.nextTokenIndex).toBe(0)
  })

  test('that is empty is taken rather than one that holds more than it would give', async () => {
    const all = places(2)
    await ask(all, 'a', 'system: a long first conversation')
    expect(await ask(all, 'a', 'system: another')).toEqual({ place: 1, found: 0 })
    expect(await ask(all, 'a', 'system: anot')).toMatchObject({ place: 1 })
  })

  test('that was not used for longest is given up first', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const all = places(2)
    await ask(all, 'a', 'aaa')
    vi.advanceTimersByTime(1_000)
    await ask(all, 'b', 'bbb')
    vi.advanceTimersByTime(1_000)
    expect(await ask(all, 'c', 'ccc')).toEqual({ place: 0, found: 0 })
  })

  test('forgets what was not asked for in five minutes', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const all = places(1)
    await ask(all, 'a', 'secret')
    await vi.advanceTimersByTimeAsync(4 * 60_000)
    expect((await ask(all, 'a', 'secret')).found).toBe(6)
    await vi.advanceTimersByTimeAsync(4 * 60_000)
    expect(all[0]?.context.nextTokenIndex).toBe(6)
    await vi.advanceTimersByTimeAsync(2 * 60_000)
    expect(all[0]?.context.nextTokenIndex).toBe(0)
  })

  test('is one request at a time, and no more than there are', async () => {
    const all = places(1)
    await takeSequence(all, 'a', [])
    await expect(takeSequence(all, 'a', [])).rejects.toThrow('more requests than sequences')
  })
})

test('owners are accounts, with a key of theirs where they give one', () => {
  expect(ownerOf({})).toBeUndefined()
  const owners = [{ cacheScope: 'a' }, { cacheKey: 'a' }, { cacheScope: 'a', cacheKey: 'a' }, { cacheScope: 'a","a' }]
  expect(new Set(owners.map(ownerOf)).size).toBe(4)
  expect(ownerOf({ cacheScope: 'a', cacheKey: 'k' })).toBe(ownerOf({ cacheScope: 'a', cacheKey: 'k' }))
})
