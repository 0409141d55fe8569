import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, isStepCount as stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { expect, test } from '@/e2e/contract/shared-stage'
import { balanceOf } from '@/e2e/testing/ask'
import type { Stage } from '@/e2e/testing/contract-stage'
import { COST_NANO, SPOKEN, USAGE } from '@/e2e/testing/contract-upstream'
import { createKey } from '@/e2e/testing/fixtures'
import { readAsTheFieldDoes } from '@/e2e/testing/sse-reader'

const messages = [{ role: 'user' as const, content: 'What does the tide do?' }]
const TEXT = SPOKEN.join('')
const PARAMETERS = { type: 'object', properties: { harbour: { type: 'string' } }, required: ['harbour'] } as const

let stage: Stage
let key: string

test.beforeAll(async ({ shared }) => {
  stage = shared.stage
  key = await stage.newKey()
})

const openai = (apiKey = key, baseURL = stage.baseUrl) => new OpenAI({ apiKey, baseURL, maxRetries: 0 })
/** Dollars as the contract's JSON has them, exact to the nano-dollar. */
const nano = (usd: number) => BigInt(Math.round(usd * 1e9))

test.describe('the OpenAI client', () => {
  test('gets a whole answer with its usage and its price', async () => {
    const answer = await openai().chat.completions.create({ model: 'say', messages })
    expect(answer.object).toBe('chat.completion')
    expect(answer.id).toMatch(/^chatcmpl-/)
    expect(answer.model).toBe('say')
    expect(answer.choices).toHaveLength(1)
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant', content: TEXT } })
    expect(answer.usage).toMatchObject(USAGE)
    expect(answer).toMatchObject({ cost: { diem: 0 } })
    expect(nano((answer as unknown as { cost: { usd: number } }).cost.usd)).toBe(COST_NANO)
  })

  test('gets the same where the upstream is asked for one body, and ends that when it leaves', async () => {
    // As much as a first hold covers.
    const max_tokens = 100
    const { cost: _, ...answer } = Object(
      await openai().chat.completions.create({ model: 'say', messages, max_tokens }),
    )
    const { cost: __, ...collected } = Object(await openai().chat.completions.create({ model: 'say', messages }))
    expect(answer).toEqual({ ...collected, id: answer.id, created: answer.created })
    const forms = stage.upstream.bodies.slice(-2).map(({ stream }) => stream)
    expect(forms).toEqual([false, true])

    const leaver = await stage.newKey()
    const before = stage.upstream.streams.left
    const controller = new AbortController()
    const options = { signal: controller.signal }
    const left = openai(leaver).chat.completions.create({ model: 'slow', messages, max_tokens }, options)
    await expect.poll(() => stage.upstream.bodies.at(-1)).toMatchObject({ model: 'slow', stream: false })
    controller.abort()
    await expect(left).rejects.toThrow(OpenAI.APIUserAbortError)
    await expect.poll(() => stage.upstream.streams.left).toBe(before + 1)
    // To look costs a little, too.
    let looks = 0n
    const had = async () => {
      const { before, cost } = await balanceOf(stage, leaver)
      return before + cost * looks++
    }
    await expect.poll(had).toBe(5_000_000_000n)
  })

  test('gets a stream: role, content, one finish, usage with cost', async () => {
    const stream = await openai().chat.completions.create({ model: 'say', messages, stream: true })
    const chunks = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(TEXT)
    expect(chunks.flatMap((chunk) => chunk.choices[0]?.finish_reason ?? [])).toEqual(['stop'])
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    const last = chunks.at(-1)
    expect(last).toMatchObject({ choices: [], usage: USAGE, cost: { diem: 0 } })
    expect(nano((last as unknown as { cost: { usd: number } }).cost.usd)).toBe(COST_NANO)
  })

  test('gets no usage chunk when it says so', async () => {
    const options = { model: 'say', messages, stream: true, stream_options: { include_usage: false } } as const
    const stream = await openai().chat.completions.create(options)
    for await (const chunk of stream) {
      expect(chunk.choices).not.toHaveLength(0)
      expect(chunk.usage ?? null).toBeNull()
    }
  })

  test('finds models by trait, alias and suffix', async () => {
    for (const model of ['default', 'gpt-4o', 'say:strip_thinking_response=true']) {
      const answer = await openai().chat.completions.create({ model, messages })
      expect(answer.model).toBe('say')
    }
    const listed = await openai().models.list()
    expect(listed.data.map(({ id }) => id)).toContain('say')
  })

  test('calls a tool and sends its result back, whole and streamed', async () => {
    const tools = [{ type: 'function' as const, function: { name: 'get_tide', parameters: PARAMETERS } }]
    const asked = await openai().chat.completions.create({ model: 'tools', messages, tools })
    const [choice] = asked.choices
    expect(choice?.finish_reason).toBe('tool_calls')
    expect(choice?.message.content).toBeNull()
    expect(choice?.message.tool_calls).toEqual([
      { id: 'call_tide', type: 'function', function: { name: 'get_tide', arguments: '{"harbour":"Brest"}' } },
    ])
    const result = { role: 'tool' as const, tool_call_id: 'call_tide', content: 'rising' }
    const conversation = [...messages, choice!.message, result]
    const answer = await openai().chat.completions.create({ model: 'tools', messages: conversation, tools })
    expect(answer.choices[0]?.message.content).toBe('It is rising.')

    const runner = openai().chat.completions.stream({ model: 'tools', messages, tools })
    const streamed = await runner.finalChatCompletion()
    expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      id: 'call_tide',
      function: { name: 'get_tide', arguments: '{"harbour":"Brest"}' },
    })
  })

  test('ends the upstream when it aborts, before and after the first byte', async () => {
    for (const model of ['slow', 'silent']) {
      await expect.poll(() => stage.upstream.streams.running).toBe(0)
      const before = stage.upstream.streams.left
      const controller = new AbortController()
      const request = (async () => {
        const options = { signal: controller.signal }
        const stream = await openai().chat.completions.create({ model, messages, stream: true }, options)
        for await (const chunk of stream) if (chunk.choices[0]?.delta.content) controller.abort()
      })()
      if (model === 'silent') setTimeout(() => controller.abort(), 200)
      await request.catch((error) => expect(error).toBeInstanceOf(OpenAI.APIUserAbortError))
      expect(controller.signal.aborted).toBe(true)
      await expect.poll(() => stage.upstream.streams.left).toBe(before + 1)
    }
  })

  test('meets each failure as the class that it knows', async () => {
    const ask = (client: OpenAI, model: string) => client.chat.completions.create({ model, messages })
    const wrongKey = await ask(openai('SERVICE_INFERENCE_KEY_wrong'), 'say').catch((error) => error)
    expect(wrongKey).toBeInstanceOf(OpenAI.AuthenticationError)
    const unknownModel = await ask(openai(), 'no-such-model').catch((error) => error)
    expect(unknownModel).toBeInstanceOf(OpenAI.NotFoundError)
    const badValue = await openai()
      .chat.completions.create({ model: 'say', messages, temperature: 9 })
      .catch((error) => error)
    expect(badValue).toBeInstanceOf(OpenAI.BadRequestError)

    await ask(openai(), 'limited')
    const limited = await ask(openai(), 'limited').catch((error) => error)
    expect(limited).toBeInstanceOf(OpenAI.RateLimitError)
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(limited.headers.get('x-ratelimit-type')).toMatch(/^(user|api_key|global)$/)

    const poor = await ask(openai(await stage.newKey('0.05')), 'say').catch((error) => error)
    expect(poor).toBeInstanceOf(OpenAI.APIError)
    expect(poor.status).toBe(402)
  })
})

test.describe('the AI SDK', () => {
  const provider = () =>
    createOpenAICompatible({ name: 'lagoon', baseURL: stage.baseUrl, apiKey: key, includeUsage: true })
  const prompt = 'What does the tide do?'

  test('generates text', async () => {
    const { text, usage, finishReason } = await generateText({ model: provider()('say'), prompt, maxRetries: 0 })
    expect(text).toBe(TEXT)
    expect(usage.outputTokens).toBe(USAGE.completion_tokens)
    expect(finishReason).toBe('stop')
  })

  test('streams text', async () => {
    const result = streamText({ model: provider()('say'), prompt, maxRetries: 0 })
    const pieces = []
    for await (const piece of result.textStream) pieces.push(piece)
    expect(pieces.join('')).toBe(TEXT)
    expect((await result.usage).inputTokens).toBe(USAGE.prompt_tokens)
  })

  test('calls a tool and answers with its result', async () => {
    const asked: unknown[] = []
    const getTide = tool({
      inputSchema: jsonSchema<{ harbour: string }>(PARAMETERS),
      execute: async (input) => {
        asked.push(input)
        return 'falling'
      },
    })
    const options = { prompt, tools: { get_tide: getTide }, stopWhen: stepCountIs(3), maxRetries: 0 }
    const whole = await generateText({ model: provider()('tools'), ...options })
    expect(whole.text).toBe('It is falling.')
    const streamed = streamText({ model: provider()('tools'), ...options })
    expect(await streamed.text).toBe('It is falling.')
    expect(asked).toEqual([{ harbour: 'Brest' }, { harbour: 'Brest' }])
  })

  test('ends the upstream when it aborts', async () => {
    await expect.poll(() => stage.upstream.streams.running).toBe(0)
    const before = stage.upstream.streams.left
    const controller = new AbortController()
    const result = streamText({ model: provider()('slow'), prompt, abortSignal: controller.signal, maxRetries: 0 })
    for await (const _ of result.textStream) controller.abort()
    await expect.poll(() => stage.upstream.streams.left).toBe(before + 1)
  })
})

test.describe('raw fetch with a reader of the field', () => {
  const post = (body: object) =>
    fetch(`${stage.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  test('reads a stream line by line to [DONE]', async () => {
    const answer = await post({ model: 'say', messages, stream: true })
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const { chunks, isDone } = await readAsTheFieldDoes(answer)
    expect(isDone).toBe(true)
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(TEXT)
  })

  test('is not stopped early by an answer that says [DONE]', async () => {
    const { chunks, isDone } = await readAsTheFieldDoes(await post({ model: 'done', messages, stream: true }))
    expect(isDone).toBe(true)
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('data: [DONE]\n\ndata: [DONE]')
  })
})

test.describe('the embedded model', () => {
  test('answers the OpenAI client, whole and streamed', async ({ baseURL }) => {
    const client = openai(await createKey('INFERENCE'), `${baseURL}/api/v1`)
    const whole = await client.chat.completions.create({ model: 'default', messages, max_tokens: 12 })
    expect(whole.choices[0]?.message.content).toEqual(expect.any(String))
    expect(whole.usage?.completion_tokens).toBeGreaterThan(0)
    const stream = await client.chat.completions.create({ model: 'default', messages, max_tokens: 12, stream: true })
    let text = ''
    let usage: OpenAI.CompletionUsage | null | undefined
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? chunk.choices[0]?.delta.refusal ?? ''
      usage = chunk.usage ?? usage
    }
    expect(text.length + (usage?.completion_tokens_details?.reasoning_tokens ?? 0)).toBeGreaterThan(0)
    expect(usage?.completion_tokens).toBeGreaterThan(0)
  })
})
