import path from 'node:path'
import { expect, test } from 'vitest'
import { image, text } from '@/app/api/v1/chat/completions/testing/media'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { dataDirWith } from '@/lib/services/engines/embedded/testing/install'
import { randomVisionModel } from '@/lib/services/engines/embedded/testing/random-vision-model'

const MODEL = 'tiny-onnx-eyes'

// The first file is the one that is opened.
const files = Object.fromEntries(
  Object.entries(randomVisionModel({ ending: '' }))
    .map(([place, bytes]) => [path.basename(place), bytes] as const)
    .toSorted(([name]) => (name === 'decoder_model_merged.onnx' ? -1 : 1)),
)
const dataDir = await dataDirWith(MODEL, files, {
  facts: { seesImages: true, form: 'onnx', contextTokens: 2_048, callsTools: false },
})
const { call, spent } = await chatStage({
  settings: { EMBEDDED_MODELS: 'lean', EMBEDDED_VISION: 'off', DATA_DIR: dataDir },
  models: [],
})

test('an installed model in ONNX files answers about the image itself, where projectors are off', async () => {
  const before = await spent()
  const [blind, red, blue] = [
    await ask(text('What is this?')),
    await ask(text('What is this?'), await image(80, 'red')),
    await ask(text('What is this?'), await image(80, 'blue')),
  ]
  expect(blind.choices[0].finish_reason).toBe('length')
  expect(red.usage.prompt_tokens).toBeGreaterThan(blind.usage.prompt_tokens)
  expect(red.assists ?? []).toEqual([])
  expect(red.choices[0].message.content).not.toBe(blue.choices[0].message.content)
  const costs = [blind, red, blue].map(({ cost }) => cost.usd)
  for (const { usage, cost } of [blind, red, blue]) {
    expect(cost.usd).toBeCloseTo((usage.prompt_tokens * 0.05 + usage.completion_tokens * 0.1) / 1e6, 9)
  }
  expect(await spent()).toBeCloseTo(before + costs.reduce((sum, cost) => sum + cost, 0), 9)
})

test('an answer about an image streams', async () => {
  const answer = await call({ ...body(text('What is this?'), await image(80, 'red')), stream: true })
  const chunks = (await answer.text()).split('\n\n').filter((line) => line.startsWith('data: {'))
  expect(chunks.length).toBeGreaterThan(2)
})

test.each([
  ['stop_token_ids', { stop_token_ids: [5] }],
  ['tools', { tools: [{ type: 'function', function: { name: 'look' } }] }],
  ['response_format', { response_format: { type: 'json_object' } }],
  ['logprobs', { logprobs: true }],
])('what it cannot do is refused and costs nothing: %s', async (field, more) => {
  const before = await spent()
  const answer = await call({ ...body(text('Hello'), await image(80, 'red')), ...more })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain(field)
  expect(await spent()).toBe(before)
})

const body = (...content: object[]) => ({
  model: MODEL,
  service_parameters: { include_service_system_prompt: false },
  messages: [{ role: 'user', content }],
  temperature: 0,
  max_completion_tokens: 12,
})

async function ask(...content: object[]) {
  const answer = await call(body(...content))
  expect(answer.status).toBe(200)
  return await answer.json()
}
