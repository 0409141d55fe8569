import { expect, test } from 'vitest'
import { imageModels, modelFor, modelsFor } from '@/components/studio/image/models'

const usd = (amount: number) => ({ usd: amount, diem: amount })

const REPLY = {
  data: [
    {
      id: 'ratio',
      type: 'image',
      model_spec: {
        name: 'Ratio',
        privacy: 'private',
        traits: ['default'],
        constraints: {
          promptCharacterLimit: 3_000,
          steps: { default: 1, max: 1 },
          widthHeightDivisor: 1,
          aspectRatios: ['1:1', '16:9'],
          defaultAspectRatio: '16:9',
          resolutions: ['1K', '2K'],
          defaultResolution: '1K',
          qualities: ['low', 'high', 'ultra'],
        },
        pricing: { resolutions: { '1K': usd(0.03), '2K': usd(0.06) }, quality: { '1K': { low: usd(0.01) } } },
      },
    },
    {
      id: 'pixel',
      type: 'image',
      model_spec: {
        offline: true,
        constraints: { promptCharacterLimit: 1_500, steps: { default: 20, max: 50 }, widthHeightDivisor: 8 },
        pricing: { generation: usd(0.01), upscale: { '2x': usd(0.02), '4x': usd(0.08) } },
      },
    },
    {
      id: 'mixer',
      type: 'inpaint',
      model_spec: {
        traits: ['default'],
        constraints: { aspectRatios: ['auto', '1:1'], promptCharacterLimit: 800, combineImages: true },
        pricing: { inpaint: usd(0.04), inputImages: { included: 1, additional: usd(0.01) } },
      },
    },
    {
      id: 'scissors',
      type: 'inpaint',
      model_spec: { traits: ['background_removal'], constraints: { aspectRatios: ['auto'], combineImages: false } },
    },
    { id: 'chat', type: 'text', model_spec: {} },
    { type: 'image' },
    null,
  ],
}

const models = imageModels(REPLY)

test('a model is read as far as it is one of pictures', () => {
  expect(models.map(({ id }) => id)).toEqual(['ratio', 'pixel', 'mixer', 'scissors'])
  expect(models[0]).toMatchObject({
    name: 'Ratio',
    privacy: 'private',
    maxPromptChars: 3_000,
    ratios: ['1:1', '16:9'],
    defaultRatio: '16:9',
    defaultResolution: '1K',
    qualities: ['low', 'high'],
    divisor: 0,
    prices: { byResolution: { '1K': 0.03, '2K': 0.06 }, byQuality: { '1K': { low: 0.01 } } },
  })
  expect(models[0]?.steps).toBeUndefined()
  expect(models[1]).toMatchObject({ name: 'pixel', isOffline: true, divisor: 8, steps: { default: 20, max: 50 } })
  expect(models[2]).toMatchObject({ maxImages: 3, prices: { base: 0.04, inputs: { included: 1, additional: 0.01 } } })
})

test('what no answer is, is no models', () => {
  for (const reply of [undefined, null, 'x', {}, { data: 'x' }]) expect(imageModels(reply)).toEqual([])
})

test('each task has the models that can do it, those that serve first', () => {
  const ids = (task: Parameters<typeof modelsFor>[0]) => modelsFor(task, models).map(({ id }) => id)
  expect(ids('generate')).toEqual(['ratio', 'pixel'])
  expect(ids('edit')).toEqual(['mixer'])
  expect(ids('multi-edit')).toEqual(['mixer'])
  expect(ids('background-remove')).toEqual(['scissors'])
  expect(ids('upscale')).toEqual([])
})

test('the form begins with what was chosen last while it is there, else with the default', () => {
  expect(modelFor('generate', models, 'pixel')?.id).toBe('pixel')
  expect(modelFor('generate', models, 'gone')?.id).toBe('ratio')
  expect(modelFor('upscale', models)).toBeUndefined()
})
