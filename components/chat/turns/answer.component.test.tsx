import { act, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AnswerText } from '@/components/chat/turns/answer'
import { renderPart } from '@/components/testing/render'
import type { Turn } from '@/lib/browser/storage/thread'

const turn: Turn = {
  id: 'm1',
  parentId: 'm0',
  role: 'assistant',
  modelId: 'tiny',
  status: 'streaming',
  createdAt: 1,
  text: '',
  reasoning: '',
  versions: ['m1'],
  unpriced: [{ id: 'chatcmpl-1', model: 'tiny', at: 1 }],
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const STEP_MS = 100
/** In steps, between which the page is drawn. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) await act(() => vi.advanceTimersByTimeAsync(STEP_MS))
}

test('who waits for a busy model reads the position, and that it moves', async () => {
  const positions = [2, 1, null]
  const asked: string[] = []
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path)
    return Response.json({ position: positions.shift() ?? null })
  })
  renderPart(<AnswerText turn={turn} models={[]} />)
  expect(screen.getByText(/^Waiting for tiny/).textContent).not.toContain('in line')
  await pass(1_500)
  expect(asked, 'a quick answer asks nothing').toEqual([])
  await pass(1_000)
  expect(screen.getByText(/^Waiting for tiny: number 2 in line/)).toBeTruthy()
  await pass(2_500)
  expect(screen.getByText(/number 1 in line/)).toBeTruthy()
  await pass(2_500)
  expect(screen.getByText(/^Waiting for tiny/).textContent).not.toContain('in line')
  expect(new Set(asked)).toEqual(new Set(['/api/queue-positions/chatcmpl-1']))
})

test('a service that cannot tell is not asked again', async () => {
  const fetching = vi.fn(async () => Response.json({ error: 'no' }, { status: 401 }))
  vi.stubGlobal('fetch', fetching)
  renderPart(<AnswerText turn={turn} models={[]} />)
  await pass(20_000)
  expect(fetching).toHaveBeenCalledTimes(1)
  expect(screen.getByText(/^Waiting for tiny/).textContent).not.toContain('in line')
})
