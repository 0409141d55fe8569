import { expect, test } from 'vitest'
import { errorOf, isFromService } from '@/lib/browser/api'
import { ApiError } from '@/lib/contract/errors'

const failed = (body: unknown) => errorOf(Response.json(body, { status: 504 }))

test.each([
  ['as the inference endpoints say it', { error: 'Too slow', code: 'REQUEST_TIMEOUT' }],
  ['as other clients want it', { error: { message: 'Too slow', code: 'REQUEST_TIMEOUT' } }],
  ['as payments say it', { error: 'REQUEST_TIMEOUT', message: 'Too slow' }],
])('an error is the service’s own, %s', async (_, body) => {
  const error = await failed(body)
  expect(error).toMatchObject({ code: 'REQUEST_TIMEOUT', message: 'Too slow' })
  expect(isFromService(error)).toBe(true)
})

test.each([
  ['JSON of a proxy', { status: 504, title: 'Gateway time-out' }],
  ['a proxy’s words', { error: 'upstream timed out', code: 504 }],
  ['no body', undefined],
])('an error is not: %s', async (_, body) => {
  const error = body ? await failed(body) : await errorOf(new Response('<h1>504</h1>', { status: 504 }))
  expect(error.code).toBe('REQUEST_TIMEOUT')
  expect(isFromService(error)).toBe(false)
})

test('nor is what the page itself found wrong', () => {
  expect(isFromService(new ApiError('INFERENCE_FAILED', 'The service returned no image.'))).toBe(false)
  expect(isFromService(new TypeError('Failed to fetch'))).toBe(false)
})
