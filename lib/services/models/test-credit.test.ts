import { expect, test, vi } from 'vitest'
import { modelCards } from '@/lib/browser/models'
import { withEnvironment } from '@/lib/services/identity/testing'
import { ModelEntry } from '@/lib/services/models/entry'
import { modelOf } from '@/lib/services/models/model'
import { parseModels, refusesTestCredit } from '@/lib/services/models/models-file'

const LIVE = { SANDBOX: 'off' }
const KEY = { apiKeyEnv: 'TEST_CREDIT_KEY' }

const engineOf = (fields: object) => {
  const text = JSON.stringify({
    engines: { house: { kind: 'openai', ...fields } },
    models: [{ id: 'a', type: 'text', engine: 'house' }],
  })
  return parseModels(text, 'models.yaml').engines.house
}

test.each([
  ['a server on this machine', { baseUrls: ['http://127.0.0.1:8000/v1'] }, {}, false],
  ['a server of the own network', { baseUrls: ['http://10.0.0.5:8000/v1'] }, {}, false],
  ['a server elsewhere', { baseUrls: ['https://api.example/v1'] }, {}, true],
  ['servers of which one is elsewhere', { baseUrls: ['http://10.0.0.5/v1', 'https://api.example/v1'] }, {}, true],
  ['a gateway on this machine that takes a key', { baseUrls: ['http://127.0.0.1:4000/v1'], ...KEY }, {}, true],
  ['one that its operator opened', { baseUrls: ['https://api.example/v1'], acceptsTestCredit: true }, {}, false],
  ['one that its operator closed', { baseUrls: ['http://10.0.0.5/v1'], acceptsTestCredit: false }, {}, true],
  ['a server elsewhere where money is real', { baseUrls: ['https://api.example/v1'] }, LIVE, false],
])('%s', async (_, fields, environment, isRefused) => {
  vi.stubEnv('TEST_CREDIT_KEY', 'sk-test')
  await withEnvironment(environment, () => {
    expect(refusesTestCredit(engineOf(fields))).toBe(isRefused)
  })
})

test('embedded models are for everybody', () => {
  expect(refusesTestCredit(undefined)).toBe(false)
})

test('the list says which models refuse it, and the page shows them as unavailable', () => {
  const entry = ModelEntry.parse({ id: 'a', type: 'text', engine: 'house' })
  const [closed, open] = [true, false].map(
    (refusesTestCredit) => modelOf(entry, { privacy: 'private', refusesTestCredit }).record,
  )
  expect(
    [closed, open].map((record) => (record!.model_spec as object as Record<string, unknown>).acceptsTestCredit),
  ).toEqual([false, undefined])
  expect(modelCards({ data: [closed, open] }).map(({ isOffline }) => isOffline)).toEqual([true, false])
})
