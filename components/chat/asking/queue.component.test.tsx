import { act, renderHook } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { dequeue, enqueue, useQueue } from '@/components/chat/asking/queue'

const keyOf = (chatId: string) => `lagoon:queue:${chatId}`
const kept = (...texts: string[]) => JSON.stringify(texts.map((text, at) => ({ id: `w${at}`, modelId: 'm', text })))
const texts = (queue: ReturnType<typeof useQueue>) => queue.map(({ outgoing }) => outgoing.text)

beforeEach(() => localStorage.clear())

test('messages that wait are shown after a reload, and as they come and go', () => {
  localStorage.setItem(keyOf('a'), kept('Why?'))
  const { result } = renderHook(() => useQueue('a'))
  expect(texts(result.current)).toEqual(['Why?'])
  act(() => enqueue('a', { text: 'And at night?', attachments: [] }, 'm'))
  expect(texts(result.current)).toEqual(['Why?', 'And at night?'])
  act(() => void dequeue('a', 'w0'))
  expect(texts(result.current)).toEqual(['And at night?'])
})

test('what another tab changes is followed, and other chats are left alone', () => {
  const { result } = renderHook(() => useQueue('b'))
  expect(result.current).toEqual([])
  const change = (chatId: string, ...all: string[]) =>
    act(() => {
      localStorage.setItem(keyOf(chatId), kept(...all))
      window.dispatchEvent(new StorageEvent('storage', { key: keyOf(chatId) }))
    })
  change('b', 'From elsewhere')
  expect(texts(result.current)).toEqual(['From elsewhere'])
  change('c', 'Of another chat')
  expect(texts(result.current)).toEqual(['From elsewhere'])
})

test('an address that names no chat has no queue', () => {
  expect(renderHook(() => useQueue('constructor')).result.current).toEqual([])
  expect(renderHook(() => useQueue(null)).result.current).toEqual([])
})
