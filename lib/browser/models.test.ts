import { expect, test } from 'vitest'
import { chosenModel, modelCards, searchModels } from '@/lib/browser/models'

const record = (id: string, spec: object = {}) => ({ id, object: 'model', context_length: 4096, model_spec: spec })
const LIST = modelCards({
  object: 'list',
  data: [
    record('new', { name: 'New Tide', offline: true }),
    record('atlas', {
      name: 'Atlas Large',
      privacy: 'private',
      traits: ['default'],
      availableContextTokens: 131_072,
      capabilities: { supportsReasoning: true, supportsVision: false, supportsFunctionCalling: true },
      pricing: { input: { usd: 1, diem: 1 }, output: { usd: 3, diem: 3 }, cache_input: { usd: 0.1, diem: 0.1 } },
      deprecation: { autoRemap: true, date: '2027-01-31', removesAt: '2027-01-31T00:00:00Z' },
    }),
    record('mini', { name: 'Atlas Mini' }),
    { object: 'model' },
    null,
  ],
})

test('records become cards, and what is no record is left out', () => {
  expect(LIST.map((model) => model.id)).toEqual(['new', 'atlas', 'mini'])
  expect(LIST[1]).toMatchObject({
    name: 'Atlas Large',
    contextTokens: 131_072,
    privacy: 'private',
    badges: ['reasoning', 'tools'],
    price: { input: 1, output: 3, cachedInput: 0.1 },
    retiresAt: '2027-01-31T00:00:00Z',
  })
  expect(LIST[2]).not.toHaveProperty('price')
})

test('a reply that is no list has no models', () => {
  for (const reply of [null, {}, { data: 'x' }, []]) expect(modelCards(reply)).toEqual([])
})

test('the model last chosen is asked while it serves, then the default, then the first', () => {
  expect(chosenModel(LIST, 'mini')?.id).toBe('mini')
  expect(chosenModel(LIST, 'new')?.id).toBe('atlas')
  expect(chosenModel(LIST, 'gone')?.id).toBe('atlas')
  expect(chosenModel(LIST.slice(2), '')?.id).toBe('mini')
  expect(chosenModel([], 'mini')).toBeUndefined()
})

test('a search finds every word, in names, ids and badges', () => {
  const found = (search: string) => searchModels(LIST, search).map((model) => model.id)
  expect(found('atlas')).toEqual(['atlas', 'mini'])
  expect(found('LARGE tools')).toEqual(['atlas'])
  expect(found('  ')).toEqual(['new', 'atlas', 'mini'])
  expect(found('atlas whale')).toEqual([])
})

test('what a model takes is its own, read for it by another, or nothing', () => {
  const list = {
    data: [
      record('blind'),
      record('seer', { capabilities: { supportsVision: true, supportsMultipleImages: true, maxImages: 4 } }),
      record('helped'),
    ],
  }
  const [blind, seer, helped] = modelCards(list, { helped: { audio: 'listener' } })
  expect(blind?.takes).toMatchObject({ images: false, audio: false, video: false, documents: 'itself' })
  expect(seer?.takes).toMatchObject({
    images: 'itself',
    audio: false,
    video: 'assisted',
    maxFiles: { images: 4, video: 3 },
  })
  expect(helped?.takes).toMatchObject({ images: false, audio: 'assisted', video: 'assisted' })
})

test('efforts are those that a chat can ask for, in their order', () => {
  const [card] = modelCards({
    data: [
      record('thinker', {
        capabilities: { reasoningEffortOptions: ['max', 'high', 'low'], defaultReasoningEffort: 'low' },
      }),
    ],
  })
  expect(card).toMatchObject({ efforts: ['low', 'high'], defaultEffort: 'low' })
  expect(modelCards({ data: [record('plain')] })[0]?.efforts).toEqual([])
})
