import { DrizzleQueryError } from 'drizzle-orm/errors'
import { expect, test, vi } from 'vitest'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { DatabaseUnavailable } from '@/lib/db/outage'
import { log } from '@/lib/kernel/log'
import { resetPerProcess } from '@/lib/kernel/per-process'
import type { RequestContext } from '@/lib/kernel/request-context'
import { errorReply, streamError, toApiError } from '@/lib/pipeline/error-response'
import { EngineError } from '@/lib/services/engines/engine'

const bodyOf = (error: ApiError) => JSON.parse(errorReply(error).body as string)

test('the standard shape has a message and a code', () => {
  expect(bodyOf(new ApiError('MODEL_NOT_FOUND', 'No such model.'))).toEqual({
    error: 'No such model.',
    code: 'MODEL_NOT_FOUND',
  })
})

test('the detailed shape nests the fields and lists the issues', () => {
  expect(bodyOf(invalidField(['messages', 0, 'content'], 'must not be empty'))).toEqual({
    error: 'Invalid request parameters',
    code: 'INVALID_REQUEST',
    details: {
      _errors: [],
      messages: { _errors: [], 0: { _errors: [], content: { _errors: ['must not be empty'] } } },
    },
    issues: [{ code: 'custom', path: ['messages', 0, 'content'], message: 'must not be empty' }],
  })
})

test("a caller's own field names cannot break the tree", () => {
  expect(bodyOf(invalidField(['__proto__', '_errors'], 'no')).details).toEqual({
    _errors: [],
    __proto___: { _errors: [], _errors_: { _errors: ['no'] } },
  })
})

test('a context overflow has the shape that clients look for', () => {
  expect(bodyOf(new ApiError('context_length_exceeded', 'Too long.'))).toEqual({
    error: { message: 'Too long.', type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' },
  })
})

test.each([
  ['the database is away', new DatabaseUnavailable(Object.assign(new Error('10.0.0.5'), { code: 'ECONNREFUSED' }))],
  ['drizzle could not ask it', new DrizzleQueryError('select 1', [], new DatabaseUnavailable('10.0.0.5'))],
  ['it is read-only', new DrizzleQueryError('insert', [], sent('25006'))],
  ['others keep a lock', sent('55P03')],
  ['two transactions waited for each other', new DrizzleQueryError('update', [], sent('40P01'))],
])('while %s the answer is 503 with Retry-After, and says nothing of the inside', (_, thrown) => {
  const reply = errorReply(toApiError(thrown, {} as RequestContext))
  expect(reply).toMatchObject({ status: 503, headers: { 'Retry-After': '2' } })
  expect(JSON.parse(reply.body as string)).toEqual({
    error: 'The service cannot reach its database at the moment. Try again in a few seconds.',
    code: 'SERVICE_UNAVAILABLE',
  })
})

test('a statement that is wrong is our fault, and no outage', () => {
  const error = toApiError(new DrizzleQueryError('select', [], sent('42703')), {} as RequestContext)
  expect(error).toMatchObject({ status: 500, code: 'UNKNOWN_ERROR' })
})

test('why requests fail is logged once a second', () => {
  const cause = Object.assign(new Error('write failed'), { code: 'ENOSPC' })
  const lines = vi.spyOn(log(), 'error').mockImplementation(() => {})
  resetPerProcess('sparing-log')
  const now = vi.spyOn(performance, 'now').mockReturnValue(10_000)
  const fail = () => toApiError(new ApiError('SERVICE_UNAVAILABLE', 'Later.', { cause }), {} as RequestContext)
  for (let n = 0; n < 400; n++) fail()
  now.mockReturnValue(11_001)
  fail()
  expect(lines.mock.calls).toMatchObject([
    [{ code: 'SERVICE_UNAVAILABLE', err: cause }, 'a request failed'],
    [{ err: cause, skipped: 399 }, 'a request failed'],
  ])
  vi.restoreAllMocks()
})

function sent(code: string): Error {
  return Object.assign(new Error('from the server'), { severity: 'ERROR', code })
}

test('what an engine says of itself becomes the right status, and its cause stays inside', () => {
  const error = toApiError(
    new EngineError('overloaded', 'Busy.', { cause: new Error('key sk-secret refused at http://10.0.0.5') }),
    {} as RequestContext,
  )
  expect(errorReply(error)).toMatchObject({ status: 429, headers: { 'Retry-After': '30' } })
  expect(JSON.stringify(errorReply(error))).not.toMatch(/sk-secret|10\.0\.0\.5/)
  expect(streamError(error)).toContain('"retry_after":30')
})

test('an unexpected error shows nothing of itself', () => {
  const error = toApiError(new Error('select * from account'), { id: 'x', path: '/' } as RequestContext)
  expect(errorReply(error).status).toBe(500)
  expect(JSON.stringify(bodyOf(error))).not.toContain('select')
})
