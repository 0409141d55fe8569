import { expect, test } from 'vitest'
import { type Answer, type AnswerChange, newAnswer, reduceAnswer } from '@/components/chat/asking/answer'

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

test('sources, readers and tool calls become steps, in their order', () => {
  const found = [{ title: 'Tides', url: 'https://a.example' }]
  const answer = play([
    [{ type: 'citations', citations: found }, 1],
    [{ type: 'tool-call-delta', index: 0, name: 'find', input: '' }, 2],
    [{ type: 'tool-call-delta', index: 1, name: 'sum', input: '' }, 3],
    [{ type: 'tool-call-delta', index: 0, input: '{"q":1}' }, 4],
    [{ type: 'assists', assists: [{ type: 'assist', reads: 'image_url', model: 'reader' }], costUsd: 0.5 }, 5],
  ])
  expect(answer.readingUsd).toBe(0.5)
  expect(answer.citations).toEqual(found)
  expect(answer.steps).toEqual([
    { type: 'search', sources: 1 },
    { type: 'tool', name: 'find', input: '{"q":1}' },
    { type: 'tool', name: 'sum', input: '' },
    { type: 'assist', reads: 'image_url', model: 'reader' },
  ])
})

test('an answer that goes on keeps the sources of its first part', () => {
  const from = newAnswer(0, { text: 'a', reasoning: '', citations: [{ title: 'A', url: 'https://a.example' }] })
  const answer = play([[{ type: 'citations', citations: [{ title: 'B', url: 'https://b.example' }] }, 1]], from)
  expect(answer.citations?.map(({ title }) => title)).toEqual(['A'])
})

test('a search is one step, however often its outcome is said', () => {
  const failed: [AnswerChange, number][] = [
    [{ type: 'citations', citations: [] }, 1],
    [{ type: 'search', outcome: 'failed' }, 1],
    [{ type: 'text-delta', text: 'Porto.' }, 2],
    [{ type: 'search', outcome: 'failed' }, 3],
  ]
  expect(play(failed).steps).toEqual([{ type: 'search', sources: 0, outcome: 'failed' }])
  expect(play([[{ type: 'search', outcome: 'not_needed' }, 3]]).steps).toEqual([
    { type: 'search', sources: 0, outcome: 'not_needed' },
  ])
})
