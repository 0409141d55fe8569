import { expect, test } from 'vitest'
import { readVideoSeconds } from '@/lib/contract/providers'
import { predictionModel } from '@/lib/services/models/providers/testing/vendors'
import { readCompatible } from '@/lib/services/models/providers/vendor-models'
import { readPrediction } from '@/lib/services/models/providers/vendor-videos'

test.each([
  ['sora-2-pro', { seconds: [4, 8, 12], aspectRatios: ['16:9', '9:16'], audio: 'always' }],
  ['Wan-AI/Wan2.2-T2V-A14B-Diffusers', { modelType: 'text-to-video' }],
  ['Wan-AI/Wan2.2-I2V-A14B', { modelType: 'image-to-video' }],
  ['Wan-AI/Wan2.2-TI2V-5B', {}],
  ['stabilityai/stable-video-diffusion-img2vid', {}],
  ['hunyuanvideo-community/HunyuanVideo', {}],
  ['Lightricks/LTX-Video', {}],
])('%s makes videos by its name', (id, video) => {
  expect(readCompatible({ id })).toMatchObject({ type: 'video', video })
})

test('a list that says what a model makes comes before its name', () => {
  const architecture = { input_modalities: ['text'], output_modalities: ['video'] }
  expect(readCompatible({ id: 'acme/reel', architecture })).toMatchObject({ type: 'video', cost: undefined })
  expect(readCompatible({ id: 'reel', type: 'video' })).toMatchObject({ type: 'video' })
  expect(readCompatible({ id: 'sora-2', type: 'chat' })).toMatchObject({ type: 'text' })
  expect(readCompatible({ id: 'Video-LLaVA-7B' })).toBe('omitted')
})

test('a row of predictions says lengths, formats, sound, and its own names of fields', () => {
  expect(readPrediction(predictionModel())).toEqual({
    upstreamModel: 'acme/film',
    name: 'acme/film',
    type: 'video',
    created: 1769904000,
    video: {
      seconds: [5, 8],
      aspectRatios: ['16:9', '9:16'],
      resolutions: ['720p'],
      audio: 'optional',
      inputNames: { duration: 'seconds', image_url: 'start_image' },
    },
  })
})

test('an unofficial model is named with its version, and one that starts from an image says so', () => {
  const row = predictionModel({ is_official: false }, { image: { type: 'string' } }, ['image'])
  expect(readPrediction(row)).toMatchObject({
    upstreamModel: `acme/film:${'f'.repeat(64)}`,
    video: { modelType: 'image-to-video' },
  })
})

test.each([
  [{ duration: { minimum: 3, maximum: 6 } }, [3, 4, 5, 6]],
  [{ duration: { enum: [5, 10, 60, '8'] } }, [5, 10]],
])('lengths in %o are %o', (properties, seconds) => {
  expect(readPrediction(predictionModel({}, properties))).toMatchObject({ video: { seconds } })
})

test('a model without a length is left out, and one without a schema needs what the operator knows', () => {
  expect(readPrediction(predictionModel({}, { seconds: { type: 'integer' } }))).toBe('omitted')
  expect(readPrediction(predictionModel({ latest_version: null }))).toMatchObject({ type: 'video', video: {} })
  for (const row of [null, 'film', {}, { owner: 'a/b', name: 'c' }]) expect(readPrediction(row)).toBeUndefined()
})

test.each([
  ['4, 8', [4, 8]],
  [' 8 4;4 ', [4, 8]],
  ['30', [30]],
  ['', undefined],
  ['0', undefined],
  ['31', undefined],
  ['4.5', undefined],
  ['four', undefined],
])('the lengths "%s" are %o', (text, seconds) => {
  expect(readVideoSeconds(text)).toEqual(seconds)
})
