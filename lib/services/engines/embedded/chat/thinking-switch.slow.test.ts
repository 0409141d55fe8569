import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { chatRequest, collect, randomChatModel } from '@/lib/services/engines/embedded/testing/random-chat-model'
import { randomGguf } from '@/lib/services/engines/embedded/testing/random-gguf'

const TURNS =
  "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}"
/** As Qwen3 has it: without thoughts, an empty one is in the prompt. */
const SWITCHED = `${TURNS}{% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\n\n</think>\n\n' }}{% endif %}{% endif %}`
/** As models have it that always think. */
const OPENED = `${TURNS}{{ '<think>\n' }}{% endif %}`

async function modelWith(template: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'thinking-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'model.gguf')
  await writeFile(file, randomGguf({ template }))
  const { room, close } = await randomChatModel({ findWeights: async () => file })
  onTestFinished(close)
  return async (reasoning?: { isEnabled?: boolean; effort?: 'none' | 'low' }) => {
    const request = chatRequest({ maxTokens: 3, ...(reasoning && { reasoning }) })
    return await collect(room.stream(request, new AbortController().signal))
  }
}

test('a model that can do both thinks only when it is asked to', async () => {
  const ask = await modelWith(SWITCHED)
  const tokensOf = async (...reasoning: Parameters<typeof ask>) => (await ask(...reasoning)).usage?.inputTokens ?? 0
  const quiet = await tokensOf()
  const thinking = await tokensOf({ isEnabled: true })
  // The empty thought has 19 characters, each a token of this model.
  expect(quiet - thinking).toBe(19)
  expect(await tokensOf({ effort: 'low' })).toBe(thinking)
  expect(await tokensOf({ effort: 'none' })).toBe(quiet)
  expect(await tokensOf({ isEnabled: false, effort: 'low' })).toBe(quiet)
})

test('an answer that begins inside a thought begins with its tag', async () => {
  const ask = await modelWith(OPENED)
  expect((await ask()).text).toMatch(/^<think>\n/)
})
