import { expect, test } from 'vitest'
import { newAnswer } from '@/components/chat/asking/answer'
import {
  beginRun,
  changeRun,
  dropRun,
  isAnswering,
  type Run,
  runsOf,
  stopRuns,
} from '@/components/chat/asking/answer-store'

const run = (messageId: string, status: Run['answer']['status'] = 'streaming', stop = () => {}): Run => ({
  ...{ conversationId: 'chat', messageId, stop },
  answer: { ...newAnswer(0, { text: '', reasoning: '' }), status },
})

test('a run that ended stays beside one that goes on, until the next one begins', () => {
  beginRun(run('one'))
  beginRun(run('two'))
  changeRun(run('one', 'done'))
  expect(runsOf('chat').map(({ messageId, answer }) => [messageId, answer.status])).toEqual([
    ['one', 'done'],
    ['two', 'streaming'],
  ])
  beginRun(run('three'))
  expect(runsOf('chat').map(({ messageId }) => messageId)).toEqual(['two', 'three'])
})

test('a chat is being answered as long as one of its runs goes on', () => {
  beginRun(run('four'))
  for (const messageId of ['two', 'three']) changeRun(run(messageId, 'done'))
  expect(isAnswering('chat')).toBe(true)
  dropRun(run('four'))
  expect(isAnswering('chat')).toBe(false)
  expect(isAnswering('elsewhere')).toBe(false)
})

test('a chat is stopped with all of its runs', () => {
  const stopped: string[] = []
  for (const id of ['five', 'six']) beginRun(run(id, 'streaming', () => void stopped.push(id)))
  stopRuns('chat')
  expect(stopped).toEqual(['five', 'six'])
})
