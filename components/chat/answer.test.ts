import { expect, test } from 'vitest'
import { type Answer, type AnswerChange, newAnswer, reduceAnswer } from '@/components/chat/answer'

const play = (events: [AnswerChange, number][], from = newAnswer(0, { text: '', reasoning: '' })): Answer =>
  events.reduce((answer, [event, at]) => reduceAnswer(answer, event, at), from)

const USAGE = { model: 'm', tokens: { input: 3, output: 2, cached: 0, reasoning: 0 }, costUsd: 0.5 }

test('an answer grows, counts its thinking time and ends', () => {
  const answer = play([
    [{ type: 'accepted', requestId: 'ray' }, 10],
    [{ type: 'reasoning-delta', text: 'Hm' }, 1000],
    [{ type: 'reasoning-delta', text: 'm.' }, 2000],
    [{ type: 'text-delta', text: 'Two ' }, 5000],
    [{ type: 'text-delta', text: 'tides.' }, 6000],
    [{ type: 'choice-end', reason: 'stop' }, 6001],
    [{ type: 'usage', ...USAGE }, 6002],
    [{ type: 'end' }, 6003],
  ])
  expect(answer).toMatchObject({
    status: 'done',
    text: 'Two tides.',
    reasoning: 'Hmm.',
    thinkingMs: 4000,
    requestId: 'ray',
    usage: USAGE,
    endedAt: 6003,
  })
})

test('an answer that is only thought counts its time to the end', () => {
  const answer = play([
    [{ type: 'reasoning-delta', text: 'Hm' }, 1000],
    [{ type: 'stopped' }, 3500],
  ])
  expect(answer).toMatchObject({ status: 'stopped', thinkingMs: 2500 })
})

test('nothing changes an answer after its end, so a stop keeps the text that was there', () => {
  const stopped = play([
    [{ type: 'text-delta', text: 'Two' }, 1],
    [{ type: 'stopped' }, 2],
  ])
  const after = play(
    [
      [{ type: 'text-delta', text: ' tides' }, 3],
      [{ type: 'failed', failure: { code: 'CONNECTION_LOST', message: 'gone' } }, 4],
    ],
    stopped,
  )
  expect(after).toEqual(stopped)
  expect(after.text).toBe('Two')
})

test('a stream that breaks off is interrupted, unless the model had already finished', () => {
  expect(
    play([
      [{ type: 'text-delta', text: 'Two' }, 1],
      [{ type: 'broken-off' }, 2],
    ]).status,
  ).toBe('interrupted')
  expect(
    play([
      [{ type: 'choice-end', reason: 'stop' }, 1],
      [{ type: 'broken-off' }, 2],
    ]).status,
  ).toBe('done')
})

test('a failure before the first word failed, one after it interrupted', () => {
  const failed: AnswerChange = { type: 'failed', failure: { code: 'CONNECTION_LOST', message: 'gone' } }
  expect(play([[failed, 1]])).toMatchObject({ status: 'failed', failure: { code: 'CONNECTION_LOST' } })
  expect(
    play([
      [{ type: 'text-delta', text: 'T' }, 1],
      [failed, 2],
    ]).status,
  ).toBe('interrupted')
})

test('an error event says when to try again, and which request it was', () => {
  const answer = play([
    [{ type: 'accepted', requestId: 'ray' }, 0],
    [{ type: 'error', code: 'MODEL_OVERLOADED', message: 'busy', retryAfterSeconds: 5 }, 1000],
  ])
  expect(answer.failure).toEqual({ code: 'MODEL_OVERLOADED', message: 'busy', requestId: 'ray', retryAt: 6000 })
})

test('an answer that goes on keeps its words and adds to its thinking time', () => {
  const from = newAnswer(0, { text: 'Two', reasoning: 'Hm', thinkingMs: 1000 })
  const answer = play(
    [
      [{ type: 'reasoning-delta', text: '!' }, 100],
      [{ type: 'text-delta', text: ' tides' }, 600],
    ],
    from,
  )
  expect(answer).toMatchObject({ text: 'Two tides', reasoning: 'Hm!', thinkingMs: 1500 })
})
