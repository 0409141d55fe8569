import { expect, test } from 'vitest'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { POST } from '@/app/api/v1/embeddings/route'
import { dataDirWith } from '@/lib/services/engines/embedded/testing/install'
import { randomGguf } from '@/lib/services/engines/embedded/testing/random-gguf'

const MODEL = 'tiny-vectors'

const files = { 'model.gguf': randomGguf({ template: '', pooling: 1 }) }
const dataDir = await dataDirWith(MODEL, files, { facts: { embedding: { dimensions: 64 } } })
const { call, spent } = await chatStage({
  route: { path: 'embeddings', POST, body: { model: MODEL, input: 'Hi' } },
  settings: { EMBEDDED_MODELS: 'lean', DATA_DIR: dataDir },
})

test('an installed model embeds texts, and its own count of tokens is charged', async () => {
  const before = await spent()
  const response = await call({ model: MODEL, input: ['the tide comes in', 'a lantern'] })
  expect(response.status).toBe(200)
  const { data, usage } = await response.json()
  expect(data.map(({ embedding }: { embedding: number[] }) => embedding.length)).toEqual([64, 64])
  expect(data[0].embedding).not.toEqual(data[1].embedding)
  expect(usage.prompt_tokens).toBeGreaterThan(20)
  expect(await spent()).toBeCloseTo(before + (usage.prompt_tokens * 0.01) / 1e6, 9)
})

test('a text that is too long is refused, and costs nothing', async () => {
  const before = await spent()
  const response = await call({ model: MODEL, input: ['short', 'x'.repeat(700)] })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('is longer than 512 tokens')
  expect(await spent()).toBe(before)
})
