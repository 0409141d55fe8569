import { createOpenAI } from '@ai-sdk/openai'
import type { AIMessageChunk } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { generateText, streamText } from 'ai'
import { expect, test } from '@/e2e/contract/shared-stage'
import type { Stage } from '@/e2e/testing/contract-stage'

/** Published clients read what a model thinks, from /responses. */

const prompt = 'What is three times two?'
const THOUGHT = 'three times two'
const TEXT = 'Six.'

let stage: Stage
let apiKey: string

test.beforeAll(async ({ shared }) => {
  stage = shared.stage
  apiKey = await stage.newKey()
})

test.describe('the AI SDK', () => {
  const model = () => createOpenAI({ apiKey, baseURL: stage.baseUrl }).responses('thinker')

  test('reads a whole answer', async () => {
    const { text, reasoningText } = await generateText({ model: model(), prompt, maxRetries: 0 })
    expect({ text, reasoningText }).toEqual({ text: TEXT, reasoningText: THOUGHT })
  })

  test('reads a stream', async () => {
    const result = streamText({ model: model(), prompt, maxRetries: 0, onError: () => undefined })
    const said = { text: '', reasoning: '' }
    for await (const part of result.fullStream) {
      if (part.type === 'error') throw part.error
      if (part.type === 'text-delta') said.text += part.text
      if (part.type === 'reasoning-delta') said.reasoning += part.text
    }
    expect(said).toEqual({ text: TEXT, reasoning: THOUGHT })
  })
})

test.describe('LangChain', () => {
  const model = () =>
    new ChatOpenAI({
      model: 'thinker',
      apiKey,
      configuration: { baseURL: stage.baseUrl },
      useResponsesApi: true,
      maxRetries: 0,
    })
  const said = ({ contentBlocks }: Pick<AIMessageChunk, 'contentBlocks'>) => ({
    text: contentBlocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''),
    reasoning: contentBlocks.flatMap((block) => (block.type === 'reasoning' ? [block.reasoning] : [])).join(''),
  })

  test('reads a whole answer', async () => {
    expect(said(await model().invoke(prompt))).toEqual({ text: TEXT, reasoning: THOUGHT })
  })

  test('reads a stream', async () => {
    let whole: AIMessageChunk | undefined
    for await (const chunk of await model().stream(prompt)) whole = whole ? whole.concat(chunk) : chunk
    expect(whole && said(whole)).toEqual({ text: TEXT, reasoning: THOUGHT })
  })
})
