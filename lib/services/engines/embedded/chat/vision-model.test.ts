import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ManagedChatModel } from '@/lib/services/engines/embedded/chat/process'
import { imageFile } from '@/lib/services/engines/embedded/testing/images'
import { chatRequest, collect } from '@/lib/services/engines/embedded/testing/random-chat-model'
import { randomVisionModel } from '@/lib/services/engines/embedded/testing/random-vision-model'

const CONTEXT_TOKENS = 2_048

let folder = ''
let model: ManagedChatModel

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vision-'))
  for (const [place, bytes] of Object.entries(randomVisionModel({ ending: '' }))) {
    await writeFile(path.join(folder, path.basename(place)), bytes)
  }
  model = new ManagedChatModel({
    name: 'random-vision',
    model: {
      form: 'onnx',
      contextTokens: CONTEXT_TOKENS,
      sequences: 2,
      threads: 1,
      defaults: { temperature: 0, topP: 1, topK: 0, repetitionPenalty: 1 },
      turnMarks: [],
    },
    findWeights: async () => path.join(folder, 'decoder_model_merged.onnx'),
    maxQueued: 2,
    idleMs: 60_000,
  })
})
afterAll(async () => {
  model.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

const ask = (more: Parameters<typeof chatRequest>[0] = {}, signal = new AbortController().signal) =>
  collect(model.stream(chatRequest({ maxTokens: 12, ...more }), signal))

async function picture(color: string, width = 32, height = 32) {
  const url = `data:image/png;base64,${(await imageFile(width, height, '', color)).toString('base64')}`
  return { type: 'image_url' as const, image_url: { url } }
}

test('text', async () => {
  const one = await ask()
  console.log(one.text, one.usage, one.reasons)
  const red = await ask({ messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }, await picture('red')] }] })
  const blue = await ask({ messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }, await picture('blue')] }] })
  console.log(red.text, red.usage, blue.text)
  const big = await ask({ messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }, await picture('blue', 100, 60)] }] })
  console.log(big.text, big.usage)
})
