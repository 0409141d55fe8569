import { act, renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'
import { newAnswer } from '@/components/chat/asking/answer'
import { beginRun, changeRun, redraw, useIsAnswering, useRuns } from '@/components/chat/asking/answer-store'

const run = (text: string, status: 'streaming' | 'done' = 'streaming') => ({
  ...{ conversationId: 'chat', messageId: 'one', stop: () => {} },
  answer: { ...newAnswer(0, { text, reasoning: '' }), status },
})

test('words are drawn with the next drawing, and who asks only for an answer is not drawn with each', () => {
  let drawings = 0
  const answering = renderHook(() => {
    drawings += 1
    return useIsAnswering('chat')
  })
  const { result } = renderHook(() => useRuns('chat'))
  beginRun(run(''))
  expect(result.current).toEqual([])
  act(redraw)
  expect(result.current.map(({ answer }) => answer.text)).toEqual([''])
  expect(answering.result.current).toBe(true)
  const before = drawings
  changeRun(run('High'))
  changeRun(run('High water'))
  act(redraw)
  expect(result.current.map(({ answer }) => answer.text)).toEqual(['High water'])
  expect(drawings).toBe(before)
  changeRun(run('High water', 'done'))
  act(redraw)
  expect(answering.result.current).toBe(false)
})
