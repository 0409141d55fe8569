import { expect, test } from 'vitest'
import { image, text } from '@/app/api/v1/chat/completions/testing/media'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { dataDirWith } from '@/lib/services/engines/embedded/testing/install'
import { randomGguf } from '@/lib/services/engines/embedded/testing/random-gguf'
import { randomProjector } from '@/lib/services/engines/embedded/testing/random-projector'

const MODEL = 'tiny-eyes'

const files = { 'model.gguf': randomGguf(), 'mmproj.gguf': randomProjector() }
const dataDir = await dataDirWith(MODEL, files, { projector: 'mmproj.gguf', facts: { seesImages: true } })
const { call, spent } = await chatStage({
  settings: { EMBEDDED_MODELS: 'lean', EMBEDDED_VISION: 'on', DATA_DIR: dataDir },
  models: [],
})

test('an installed model that sees is asked itself, and its images are paid for as tokens', async () => {
  const shown = await image()
  const before = await spent()
  const [blind, seeing] = [await ask(text('What is this?')), await ask(text('What is this?'), shown, shown)]
  expect(blind.choices[0].finish_reason).toBe('length')
  expect(seeing.usage.prompt_tokens).toBeGreaterThan(blind.usage.prompt_tokens)
  expect(seeing.assists ?? []).toEqual([])
  for (const { usage, cost } of [blind, seeing]) {
    expect(cost.usd).toBeCloseTo((usage.prompt_tokens * 0.05 + usage.completion_tokens * 0.1) / 1e6, 9)
  }
  expect(await spent()).toBeCloseTo(before + blind.cost.usd + seeing.cost.usd, 9)
})

test('fields that it does not take beside an image are refused with a sentence, and cost nothing', async () => {
  const before = await spent()
  const answer = await call({ ...body(text('Hello'), await image()), stop_token_ids: [5] })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('stop_token_ids')
  expect(await spent()).toBe(before)
})

const body = (...content: object[]) => ({
  model: MODEL,
  service_parameters: { include_service_system_prompt: false },
  messages: [{ role: 'user', content }],
  max_completion_tokens: 6,
})

async function ask(...content: object[]) {
  const answer = await call(body(...content))
  expect(answer.status).toBe(200)
  return await answer.json()
}
