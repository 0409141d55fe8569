import { expect, test } from 'vitest'
import { errorReply, streamError, toApiError } from '@/lib/api/error-response'
import type { RequestContext } from '@/lib/core/context'
import { ApiError, invalidField } from '@/lib/core/errors'
import { EngineError } from '@/lib/engines/engine'

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
