import path from 'node:path'
import { expect, test } from 'vitest'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { POST } from '@/app/api/v1/embeddings/route'

/** Real weights, 17 MB from the package registry, kept between runs. */
const stage = await chatStage({
  settings: { EMBEDDED_MODELS: 'lean', DATA_DIR: path.resolve('.cache') },
  route: { path: 'embeddings', POST, body: { model: 'near' } },
  models: [{ type: 'embedding', id: 'near', engine: 'embedded', pricing: { input: { usd: 0.01 } } }],
})
const { call } = stage

async function embed(input: string | string[]) {
  const response = await call({ model: 'near', input })
  return { status: response.status, body: await response.json() }
}

test('what means the same is nearest, and tokens are counted as the model counts them', async () => {
  const { status, body } = await embed([
    'The cat sits on the mat',
    'Stock markets fell sharply today',
    'A feline is resting on a rug',
  ])
  expect(status).toBe(200)
  const [cat, stocks, feline] = body.data.map(({ embedding }: { embedding: number[] }) => embedding)
  const likeness = (one: number[], other: number[]) => one.reduce((sum, value, at) => sum + value * other[at]!, 0)
  expect(likeness(cat, cat)).toBeCloseTo(1, 4)
  expect(likeness(cat, feline)).toBeGreaterThan(likeness(cat, stocks) + 0.3)
  expect(body.usage.prompt_tokens).toBe(8 + 7 + 10)
})

test('a text beyond the window is refused, not cut', async () => {
  const { status, body } = await embed(['short', 'tide '.repeat(300)])
  expect(status).toBe(400)
  expect(body.issues[0]).toMatchObject({ path: ['input', 1], message: expect.stringContaining('256 tokens') })
})

test('a batch of 2,048 leaves the server free to do other things', async () => {
  let ticks = 0
  const timer = setInterval(() => ticks++, 10)
  const { status, body } = await embed(Array.from({ length: 2_048 }, (_, index) => `Tide ${index}`))
  clearInterval(timer)
  expect(status).toBe(200)
  expect(body.data).toHaveLength(2_048)
  expect(ticks).toBeGreaterThan(20)
})
