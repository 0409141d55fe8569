import { describe, expect, test } from 'vitest'
import type { RpcAnswer } from '@/components/rpc/client'
import { formatCallCost } from '@/components/rpc/networks'
import { answerOutcome, itemCredits } from '@/components/rpc/response/answer-head'
import { openReply } from '@/components/rpc/response/decode/json'
import { failureMessage, refusalMessage, retryTimeOf } from '@/components/rpc/response/failure-messages'
import { formatTime } from '@/components/rpc/response/format'
import { fileName } from '@/components/rpc/response/response-panel'
import { ApiError } from '@/lib/contract/errors'

const ANSWER: RpcAnswer = {
  network: 'base-mainnet',
  calls: [{ method: 'eth_blockNumber', params: [] }],
  isBatch: false,
  at: Date.UTC(2026, 10, 20, 20, 15, 30),
  status: 200,
  ms: 84,
  bytes: 40,
  text: '{}',
  headers: [],
  isReplayed: false,
}

describe('how a call ended', () => {
  const outcome = (text: string, status = 200) => answerOutcome({ status }, openReply(text, 2))

  test('a result, an error of the node and an error of HTTP are three things', () => {
    expect(outcome('{"id":1,"result":null}')).toEqual({ kind: 'result', label: 'Result' })
    expect(outcome('{"id":1,"error":{"code":-32000,"message":"no"}}')).toEqual({
      kind: 'rpc-error',
      label: 'RPC error −32000',
      detail: 'no',
    })
    expect(outcome('{"id":1,"result":1}', 429)).toEqual({ kind: 'http-error', label: 'HTTP 429' })
    expect(outcome('<html>')).toEqual({ kind: 'odd', label: 'Not JSON' })
    expect(outcome('{}')).toEqual({ kind: 'odd', label: 'Not JSON-RPC' })
    expect(answerOutcome({ status: 200 }, undefined)).toBeUndefined()
  })

  test('a batch counts its items', () => {
    expect(outcome('[{"id":1,"result":1},{"id":2,"result":1}]')).toEqual({ kind: 'result', label: '2 results' })
    expect(outcome('[{"id":1,"result":1},{"id":2,"error":{}}]')).toEqual({ kind: 'mixed', label: '1 result, 1 error' })
    expect(outcome('[{"id":1,"error":{}}]')).toEqual({ kind: 'rpc-error', label: '1 RPC error' })
    expect(outcome('[]')).toEqual({ kind: 'odd', label: 'Not JSON-RPC' })
  })
})

describe('what a call took', () => {
  test('in figures that people read', () => {
    expect([0, 0.000014, 0.0000175, 1.5, 20].map(formatCallCost)).toEqual([
      '$0.00',
      '$0.000014',
      '$0.0000175',
      '$1.50',
      '$20.00',
    ])
  })

  test('each item of a batch has its share, where it adds up', () => {
    const answer = {
      ...ANSWER,
      isBatch: true,
      calls: [
        { method: 'eth_blockNumber', params: [] },
        { method: 'trace_block', params: [] },
      ],
    }
    const reply = openReply('[{"id":1,"result":1},{"id":2,"result":1},{"id":1,"error":{}}]', 2)
    expect(itemCredits({ ...answer, credits: 65 }, reply)).toEqual([20, 40, 5])
    expect(itemCredits({ ...answer, credits: 60 }, reply)).toBeUndefined()
    expect(itemCredits(answer, reply)).toBeUndefined()
  })
})

describe('why there is no result', () => {
  const refused = (failure: ApiError, rest: Partial<RpcAnswer> = {}) =>
    refusalMessage({ ...ANSWER, status: failure.status, failure, ...rest })

  test('the fields of a request that are wrong are named', () => {
    const issues = [{ code: 'custom', path: ['params', 0], message: 'must be an address' }]
    expect(refused(new ApiError('INVALID_REQUEST', 'Invalid request parameters', { issues }))).toMatchObject({
      title: 'Invalid request.',
      issues: [{ place: 'params.0', message: 'must be an address' }],
    })
  })

  test('a limit says which one, and until when', () => {
    const failure = new ApiError('RATE_LIMIT_EXCEEDED', 'Rate limit exceeded', {
      body: { customMessage: 'A day has 10.' },
    })
    expect(refused(failure, { headers: [['X-RateLimit-Reset', '1800000000']] })).toMatchObject({
      advice: 'A day has 10.',
      retryAt: 1_800_000_000_000,
    })
    expect(retryTimeOf({ headers: [['retry-after', '2']], at: 1_000, ms: 500 })).toBe(3_500)
    expect(retryTimeOf({ headers: [['retry-after', 'soon']], at: 0, ms: 0 })).toBeUndefined()
  })

  test('there is a way on where there is one', () => {
    expect(refused(new ApiError('AUTHENTICATION_FAILED', 'no'))?.action).toBe('sign-in')
    expect(refused(new ApiError('PAYMENT_REQUIRED', 'pay', { body: { accepts: [] } }))?.action).toBe('sign-in')
    expect(refused(new ApiError('INSUFFICIENT_BALANCE', 'no'))?.action).toBe('credit')
    expect(refused(new ApiError('RPC_UPSTREAM_FAILED', 'no'))).toMatchObject({
      isFree: true,
      title: 'No node responded.',
    })
    expect(refusalMessage(ANSWER)).toBeUndefined()
  })

  test('without a connection nobody knows whether the call arrived', () => {
    expect(failureMessage({ code: 'CONNECTION_LOST', message: '' }).advice).toContain(
      'may still have received the call',
    )
    expect(failureMessage({ code: 'OFFLINE', message: '' }).title).toBe('You’re offline.')
  })
})

test('a file is named after the call', () => {
  expect(fileName(ANSWER)).toBe('eth_blockNumber-base-mainnet-20261120-201530.json')
  expect(fileName({ ...ANSWER, calls: [{ method: '../../etc', params: [] }] })).toBe(
    'etc-base-mainnet-20261120-201530.json',
  )
})

test('times are told from now, and in UTC', () => {
  const words = formatTime(1_760_000_000, 1_760_000_190_000)
  expect(words).toMatchObject({ ago: '3 min. ago', utc: '2025-10-09 08:53:20 UTC' })
  expect(formatTime(1_760_000_000, 1_759_996_400_000).ago).toBe('in 1 hr.')
})
