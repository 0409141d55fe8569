import { expect, test } from 'vitest'
import { cheaperModels, isPause, neededFor, pauseMessage, pauseOf } from '@/components/common/credit-messages'
import type { Failure } from '@/lib/browser/failure'
import type { ModelCard } from '@/lib/browser/models'
import { usd } from '@/lib/contract/money'

const UNPAID: Failure = {
  code: 'PAYMENT_REQUIRED',
  message: 'm',
  credit: { balance: usd('0.0123'), minimum: usd('0.034') },
}

const model = (id: string, price?: number): ModelCard => ({
  id,
  name: id,
  description: '',
  contextTokens: 1,
  privacy: 'private',
  traits: [],
  isOffline: false,
  isBeta: false,
  isDemo: false,
  badges: [],
  takes: {
    images: false,
    audio: false,
    video: false,
    documents: 'itself',
    maxFiles: { images: 10, audio: 5, video: 3, documents: 5 },
  },
  supportsWebSearch: false,
  supportsXSearch: false,
  efforts: [],
  maxOutputTokens: 0,
  ...(price !== undefined && { price: { input: price, output: price } }),
})

test.each([
  ['PAYMENT_REQUIRED', 'credit'],
  ['INSUFFICIENT_BALANCE', 'credit'],
  ['AUTHENTICATION_FAILED', 'sign-in'],
  ['SIGN_IN_NEEDED', 'sign-in'],
  ['X402_SIGN_IN_EXPIRED', 'sign-in'],
  ['CAP_PER_DAY', 'cap-per-day'],
  ['CAP_PER_MESSAGE', 'cap-per-message'],
  ['INFERENCE_FAILED', undefined],
  ['CONNECTION_LOST', undefined],
] as const)('%s waits for %s', (code, pause) => {
  expect(pauseOf({ code, message: '' })).toBe(pause)
  expect(isPause({ code, message: '' })).toBe(pause !== undefined)
})

test('says what is needed and what there is, by the document of the service', () => {
  expect(pauseMessage(UNPAID, 'credit', undefined)).toBe(
    'Paused: this answer needs about $0.03. Your balance is $0.01. Your message is saved.',
  )
})

test('shows more digits where cents would be the same, and what was added since', () => {
  const near = { ...UNPAID, credit: { balance: usd('0.1'), minimum: usd('0.1042') } }
  expect(pauseMessage(near, 'credit', undefined)).toContain('needs about $0.1042. Your balance is $0.10.')
  expect(pauseMessage(UNPAID, 'credit', usd('10'))).toBe('Paused. Your balance is now $10.00. Your message is saved.')
  expect(pauseMessage({ code: 'INSUFFICIENT_BALANCE', message: 'm' }, 'credit', undefined)).toContain('no credit left')
})

test('every pause says that the message is kept', () => {
  const failure: Failure = { code: 'CAP_PER_DAY', message: 'Daily spending cap of $5 reached.' }
  for (const pause of ['credit', 'sign-in', 'cap-per-message', 'cap-per-day'] as const) {
    expect(pauseMessage(failure, pause, undefined)).toContain('Your message is saved.')
  }
})

test('offers cheaper models first, and only free ones below the least credit', () => {
  const models = [model('large', 2), model('small', 0.1), model('middle', 1), model('free'), model('larger', 3)]
  const ids = (balance: string) => cheaperModels(models, 'large', usd(balance)).map(({ id }) => id)
  expect(ids('0.5')).toEqual(['free', 'small', 'middle'])
  expect(ids('0.01')).toEqual(['free'])
  expect(cheaperModels(models, 'free', usd('1'))).toEqual([])
})

test('asks for what is missing, and never for less than nothing', () => {
  expect(neededFor(UNPAID, usd('0.01'))).toBe(usd('0.024'))
  expect(neededFor(UNPAID, usd('5'))).toBe(0n)
  expect(neededFor({ code: 'INSUFFICIENT_BALANCE', message: '' }, undefined)).toBe(usd('0.10'))
})
