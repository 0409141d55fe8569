import { expect, test } from 'vitest'
import { type Caller, type RequestContext, requestIdOf } from '@/lib/kernel/request-context'

const NAME = 'chatcmpl-0123456789abcdef01234567'
const context = (name?: string) =>
  ({ headers: new Headers(name === undefined ? {} : { 'x-service-request-name': name }) }) as RequestContext
const caller = (via: Caller['via']) => ({ via }) as Caller
const SESSION = caller({ type: 'session', sessionId: 's' })

test('a page names its request', () => {
  expect(requestIdOf(context(NAME), SESSION, 'chatcmpl')).toBe(NAME)
})

test('nobody else does, and a name of another form or of another kind of request is none', () => {
  expect(requestIdOf(context(NAME), caller({ type: 'sign-in' }), 'chatcmpl')).not.toBe(NAME)
  const key = { type: 'key', keyId: 'k', keyType: 'INFERENCE', modelPrivacy: 'ALL' } as const
  expect(requestIdOf(context(NAME), caller(key), 'chatcmpl')).not.toBe(NAME)
  for (const name of [undefined, '', 'x', `${NAME}0`, NAME.toUpperCase(), NAME.replace('chatcmpl', 'speech')]) {
    expect(requestIdOf(context(name), SESSION, 'chatcmpl')).toMatch(/^chatcmpl-[0-9a-f]{24}$/)
    expect(requestIdOf(context(name), SESSION, 'chatcmpl')).not.toBe(name)
  }
})
