import { expect, test } from 'vitest'
import { imageModels } from '@/components/studio/image/models'
import {
  enlargedSize,
  fitSettings,
  type ImageSettings,
  imageSettings,
  problemOf,
} from '@/components/studio/image/settings'

const [ratio, pixel, editor, enlarger, eraser] = imageModels({
  data: [
    {
      id: 'ratio',
      type: 'image',
      model_spec: {
        constraints: { promptCharacterLimit: 20, steps: { default: 1, max: 1 }, aspectRatios: ['1:1', '16:9'] },
      },
    },
    {
      id: 'pixel',
      type: 'image',
      model_spec: {
        constraints: { promptCharacterLimit: 1_500, steps: { default: 20, max: 30 }, widthHeightDivisor: 8 },
      },
    },
    { id: 'editor', type: 'inpaint', model_spec: { constraints: { aspectRatios: ['auto'], combineImages: true } } },
    { id: 'enlarger', type: 'upscale', model_spec: {} },
    { id: 'eraser', type: 'inpaint', model_spec: { traits: ['object_removal'] } },
  ],
}) as [never, never, never, never, never]

const image = (width: number, height: number) => ({
  id: 'i',
  hash: 'h',
  name: 'a.png',
  mediaType: 'image/png',
  size: 9,
  width,
  height,
})

const ALL: ImageSettings = {
  ratio: '16:9',
  width: 640,
  height: 480,
  resolution: '4K',
  quality: 'high',
  variants: 3,
  style: 'Anime',
  negativePrompt: 'people',
  seed: 7,
  steps: 50,
  cfgScale: 6,
  format: 'png',
  isSafeModeOff: true,
  factor: 4,
}

test('only what says something to the model goes along', () => {
  expect(fitSettings(ALL, 'generate', ratio)).toEqual({
    ratio: '16:9',
    variants: 3,
    style: 'Anime',
    negativePrompt: 'people',
    seed: 7,
    cfgScale: 6,
    format: 'png',
    isSafeModeOff: true,
  })
  expect(fitSettings(ALL, 'generate', pixel)).toMatchObject({ width: 640, height: 480, steps: 30 })
  expect(fitSettings(ALL, 'generate', pixel)).not.toHaveProperty('ratio')
  expect(fitSettings(ALL, 'edit', editor)).toEqual({ format: 'png', isSafeModeOff: true })
  expect(fitSettings(ALL, 'upscale', enlarger)).toEqual({ factor: 4 })
  expect(fitSettings(ALL, 'background-remove', editor)).toEqual({})
})

test('settings come back as they were kept, and what is of another hand is left out', () => {
  expect(imageSettings(JSON.parse(JSON.stringify(ALL)))).toEqual(ALL)
  expect(imageSettings({ quality: 'ultra', format: 'exe', factor: 3, seed: 'x', isSafeModeOff: 'yes' })).toEqual({})
})

test('what the models say already is never sent to be refused', () => {
  const wish = { task: 'generate' as const, model: ratio, prompt: 'A lagoon', settings: {}, inputs: [] }
  expect(problemOf(wish)).toBeUndefined()
  expect(problemOf({ ...wish, prompt: ' ' })).toBe('Enter a prompt.')
  expect(problemOf({ ...wish, prompt: 'x'.repeat(21) })).toBe('The prompt is too long for this model.')
  expect(problemOf({ ...wish, model: undefined })).toBe('No connected model supports this task.')
  expect(problemOf({ ...wish, model: pixel, settings: { width: 641, height: 480 } })).toMatch(/multiples of 8/)
  expect(problemOf({ ...wish, task: 'upscale', model: enlarger })).toBe('Choose an image first.')
  const enlarge = (width: number, height: number) =>
    problemOf({ ...wish, task: 'upscale', model: enlarger, inputs: [image(width, height)] })
  expect(enlarge(2_048, 2_048)).toBeUndefined()
  expect(enlarge(2_049, 2_048)).toMatch(/2049 × 2048 pixels. The upscale limit is 4.2 million pixels./)
  const edit = { ...wish, task: 'multi-edit' as const, model: editor, inputs: Array(4).fill(image(512, 512)) }
  expect(problemOf(edit)).toBe('This model accepts up to 3 images.')
})

test('a model that only erases needs no prompt, and something erased', () => {
  const wish = { task: 'edit' as const, model: eraser, prompt: '', settings: {}, inputs: [image(512, 512)] }
  expect(problemOf(wish)).toBe('Mark an area to erase first.')
  expect(problemOf({ ...wish, prompt: 'Make it night' })).toBe('Mark an area to erase first.')
  expect(problemOf({ ...wish, isErased: true })).toBeUndefined()
  expect(fitSettings({ ...ALL, rewritesPrompt: true }, 'edit', eraser)).toEqual({ format: 'png' })
  expect(problemOf({ ...wish, model: editor })).toBe('Enter instructions.')
  expect(problemOf({ ...wish, model: editor, isErased: true })).toBeUndefined()
})

test('four times is reduced to what the service allows', () => {
  expect(enlargedSize({ width: 500, height: 400 }, 4)).toEqual({ width: 2_000, height: 1_600 })
  expect(enlargedSize({ width: 2_048, height: 2_048 }, 4)).toEqual({ width: 4_096, height: 4_096 })
})
