import { describe, expect, test } from 'vitest'
import type { ChatEvent, ChatMessage, ChatRequest, ChatTool } from '@/lib/services/engines/engine'
import {
  collect,
  type FakeHandler,
  frame,
  request,
  sse,
  textOf,
} from '@/lib/services/engines/upstream/testing/fake-upstream'
import { engineOf, serve, upstream } from '@/lib/services/engines/upstream/testing/serve'

const KIND = { kind: 'google' as const, apiKey: 'AIza-secret' }
const weather: ChatTool = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'Tells the weather.',
    parameters: { type: 'object', properties: { location: { type: 'string' } }, additionalProperties: false },
  },
}

const USAGE = {
  promptTokenCount: 9,
  candidatesTokenCount: 23,
  totalTokenCount: 217,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 9 }],
  thoughtsTokenCount: 185,
}

/** A response of a stream, in the shape that the API sends. */
const part = (parts: object[], more: object = {}, usage: object = USAGE) => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
  usageMetadata: usage,
  modelVersion: 'gemini-3-pro-preview',
  responseId: 'bH6LaZW8Fp_3nsEPqtaSwQ4',
})
const END = part([{ text: '' }], { finishReason: 'STOP' })
const HELLO = [part([{ text: 'Hel' }]), part([{ text: 'lo' }]), END]

const reply = (...responses: object[]) => responses.map(frame).join('')
const serveGoogle = (handler: FakeHandler) => serve(handler, KIND)
const answer =
  (...responses: object[]): FakeHandler =>
  (_, response) =>
    sse(response, reply(...responses))
const fault = (code: number, status: string, message: string, details: object[] = []) =>
  JSON.stringify({ error: { code, message, status, details } })

async function answered(responses: object[], wanted = request()): Promise<ChatEvent[]> {
  const { engine } = await serveGoogle(answer(...responses))
  return (await collect(engine, wanted)).slice(1)
}

type Body = { contents: unknown; generationConfig: Record<string, unknown> } & Record<string, unknown>

async function sent(more: Partial<ChatRequest>): Promise<Body> {
  const { fake, engine } = await serveGoogle(answer(...HELLO))
  await collect(engine, request({ maxTokens: 1_000, ...more }))
  return fake.bodies[0] as Body
}

describe('an answer', () => {
  test('is asked for with the vendor’s header and path, and its text and usage are read', async () => {
    const seen: unknown[] = []
    const { fake, engine } = await serveGoogle((message, response) => {
      seen.push(message.method, message.url, message.headers['x-goog-api-key'], message.headers.authorization)
      sse(response, reply(...HELLO))
    })
    expect(await collect(engine, request({ model: 'gemini-3-pro-preview', maxTokens: 500 }))).toEqual([
      { type: 'route', router: 'house', retries: 0 },
      { type: 'text-delta', choice: 0, text: 'Hel' },
      { type: 'text-delta', choice: 0, text: 'lo' },
      { type: 'choice-end', choice: 0, reason: 'stop' },
      { type: 'usage', inputTokens: 9, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 208, reasoningTokens: 185 },
    ])
    const path = '/v1/models/gemini-3-pro-preview:streamGenerateContent?alt=sse'
    expect(seen).toEqual(['POST', path, 'AIza-secret', undefined])
    expect(fake.bodies[0]).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      generationConfig: { maxOutputTokens: 500, thinkingConfig: { includeThoughts: true } },
    })
  })

  test('is asked for at the version of the API also where the base URL lacks it, and of models in folders', async () => {
    const urls: unknown[] = []
    const fake = await upstream((message, response) => {
      urls.push(message.url)
      sse(response, reply(...HELLO))
    })
    const { origin } = new URL(fake.baseUrl)
    await collect(engineOf([`${origin}/`], KIND))
    await collect(engineOf([`${origin}/v1alpha`], KIND), request({ model: 'tunedModels/mine?x=1' }))
    expect(urls).toEqual([
      '/v1beta/models/m:streamGenerateContent?alt=sse',
      '/v1alpha/tunedModels/mine%3Fx%3D1:streamGenerateContent?alt=sse',
    ])
  })

  test('counts what came from the cache', async () => {
    const usage = { promptTokenCount: 4_000, cachedContentTokenCount: 3_500, candidatesTokenCount: 2 }
    expect((await answered([part([{ text: 'Hi' }], { finishReason: 'STOP' }, usage)])).at(-1)).toEqual({
      type: 'usage',
      inputTokens: 4_000,
      cachedTokens: 3_500,
      cacheWriteTokens: 0,
      outputTokens: 2,
      reasoningTokens: 0,
    })
  })

  test.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['OTHER', 'stop'],
    ['SAFETY', 'stop'],
    ['A_REASON_OF_NEXT_YEAR', 'stop'],
  ])('that ends with %s after its text ends with %s', async (finishReason, reason) => {
    const events = await answered([part([{ text: 'Hi' }]), part([], { finishReason })])
    expect(events).toContainEqual({ type: 'choice-end', choice: 0, reason })
  })

  test('may be several, each with its log probabilities', async () => {
    const token = (text: string) => ({ token: text, tokenId: 1, logProbability: -0.25 })
    const one = (index: number, text: string) => ({
      index,
      content: { parts: [{ text }], role: 'model' },
      finishReason: 'STOP',
      logprobsResult: { chosenCandidates: [token(text)], topCandidates: [{ candidates: [token(text), token('no')] }] },
    })
    const wanted = request({ n: 2, logprobs: { top: 2 } })
    const events = await answered([{ candidates: [one(0, 'a'), one(1, 'b')], usageMetadata: USAGE }], wanted)
    const top = (text: string) => [
      { token: text, logprob: -0.25 },
      { token: 'no', logprob: -0.25 },
    ]
    expect(events.slice(0, 4)).toEqual([
      { type: 'text-delta', choice: 0, text: 'a', logprobs: [{ token: 'a', logprob: -0.25, top_logprobs: top('a') }] },
      { type: 'text-delta', choice: 1, text: 'b', logprobs: [{ token: 'b', logprob: -0.25, top_logprobs: top('b') }] },
      { type: 'choice-end', choice: 0, reason: 'stop' },
      { type: 'choice-end', choice: 1, reason: 'stop' },
    ])
  })

  test('is read as a whole from a server that does not stream', async () => {
    const { engine } = await serveGoogle((_, response) =>
      response.end(JSON.stringify(part([{ text: 'Hello' }], { finishReason: 'STOP' }), null, 2)),
    )
    expect(textOf(await collect(engine))).toBe('Hello')
  })
})

describe('calls and thoughts', () => {
  const SIGNATURE = 'EpEgCo4gAb4+9vvWwdN+NkNiCCwrqvFI8uf9IiD2A47Bm4Sg0kUTm4e/QuEnsZnNuSXJaINVVvcoApg6YCzMYcX=='
  const first: ChatMessage[] = [{ role: 'user', content: 'Weather in Paris and London?' }]
  const calling = [
    part([{ text: '**Looking up**', thought: true }]),
    part([
      { functionCall: { name: 'weather', args: { location: 'Paris' } }, thoughtSignature: SIGNATURE },
      { functionCall: { name: 'weather', args: { location: 'London' } } },
    ]),
    END,
  ]
  const toolCallsOf = (events: ChatEvent[]) =>
    events.flatMap((event) =>
      event.type === 'tool-call-delta'
        ? [
            {
              id: event.id!,
              type: 'function' as const,
              function: { name: event.name!, arguments: event.arguments },
            },
          ]
        : [],
    )
  const detailsOf = (events: ChatEvent[]) =>
    events.flatMap((event) => (event.type === 'reasoning-details' ? event.details : []))

  test('go back with the signature at the call that had it', async () => {
    const { fake, engine } = await serveGoogle((_, response, round) =>
      sse(response, reply(...(round === 1 ? calling : HELLO))),
    )
    const events = await collect(engine, request({ messages: first, tools: [weather], maxTokens: 1_000 }))
    const calls = toolCallsOf(events)
    expect(events).toContainEqual({ type: 'reasoning-delta', choice: 0, text: '**Looking up**' })
    expect(events).toContainEqual({ type: 'choice-end', choice: 0, reason: 'tool_calls' })
    expect(calls.map((call) => call.function)).toEqual([
      { name: 'weather', arguments: '{"location":"Paris"}' },
      { name: 'weather', arguments: '{"location":"London"}' },
    ])
    const details = detailsOf(events)
    expect(details).toEqual([
      { type: 'reasoning.encrypted', data: SIGNATURE, id: calls[0]?.id, format: 'google-gemini-v1' },
    ])
    const messages: ChatMessage[] = [
      ...first,
      { role: 'assistant', content: null, tool_calls: calls, reasoning_details: details },
      { role: 'tool', tool_call_id: calls[0]!.id, content: '{"celsius":21}' },
      { role: 'tool', tool_call_id: calls[1]!.id, content: 'rain' },
    ]
    expect(textOf(await collect(engine, request({ messages, tools: [weather], maxTokens: 1_000 })))).toBe('Hello')
    const [paris, london] = calls.map(({ id }) => id)
    expect(fake.bodies[1]?.contents).toEqual([
      { role: 'user', parts: [{ text: 'Weather in Paris and London?' }] },
      {
        role: 'model',
        parts: [
          {
            functionCall: { id: paris, name: 'weather', args: { location: 'Paris' } },
            thoughtSignature: SIGNATURE,
          },
          { functionCall: { id: london, name: 'weather', args: { location: 'London' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: paris, name: 'weather', response: { celsius: 21 } } },
          { functionResponse: { id: london, name: 'weather', response: { output: 'rain' } } },
        ],
      },
    ])
  })

  test('a signature of the text goes back with the text', async () => {
    const events = await answered([
      part([{ text: 'Three.' }]),
      part([{ text: '', thoughtSignature: SIGNATURE }], { finishReason: 'STOP' }),
    ])
    const details = detailsOf(events)
    expect(details).toEqual([{ type: 'reasoning.encrypted', data: SIGNATURE, format: 'google-gemini-v1' }])
    const messages: ChatMessage[] = [
      ...first,
      { role: 'assistant', content: 'Three.', reasoning_details: details },
      { role: 'user', content: 'Sure?' },
    ]
    expect((await sent({ messages })).contents).toMatchObject([
      {},
      { role: 'model', parts: [{ text: 'Three.', thoughtSignature: SIGNATURE }] },
      {},
    ])
  })

  test('calls without a signature say so to a model that wants one, from then on at once', async () => {
    const message = 'Function call `weather` in the `1.` content block is missing a `thought_signature`.'
    const { fake, engine } = await serveGoogle((_, response, round) =>
      JSON.stringify(fake.bodies[round - 1]).includes('skip_thought_signature_validator')
        ? sse(response, reply(...HELLO))
        : response.writeHead(400).end(fault(400, 'INVALID_ARGUMENT', message)),
    )
    const call = { id: 'c1', type: 'function' as const, function: { name: 'weather', arguments: '{}' } }
    const messages: ChatMessage[] = [
      ...first,
      { role: 'assistant', content: null, tool_calls: [call, { ...call, id: 'c2' }] },
      { role: 'tool', tool_call_id: 'c1', content: 'sun' },
      { role: 'tool', tool_call_id: 'c2', content: 'sun' },
    ]
    for (let round = 0; round < 2; round++) {
      expect(textOf(await collect(engine, request({ messages, tools: [weather] })))).toBe('Hello')
    }
    expect(fake.bodies).toHaveLength(3)
    expect(fake.bodies[2]).toMatchObject({
      contents: [{}, { parts: [{ thoughtSignature: 'skip_thought_signature_validator' }, {}] }, {}],
    })
  })

  test('a signature that came alone goes with the first call; those of other vendors stay away', async () => {
    const call = { id: 'c1', type: 'function' as const, function: { name: 'weather', arguments: '{}' } }
    const messages = (more: object): ChatMessage[] => [
      ...first,
      { role: 'assistant', content: 'Hm.', tool_calls: [call], ...more },
      { role: 'tool', tool_call_id: 'c1', content: 'sun' },
    ]
    expect((await sent({ messages: messages({ thought_signature: 'sig' }) })).contents).toMatchObject([
      {},
      { parts: [{ text: 'Hm.' }, { thoughtSignature: 'sig' }] },
      {},
    ])
    const foreign = [{ type: 'reasoning.encrypted', data: 'x', format: 'anthropic-claude-v1' }]
    expect(JSON.stringify(await sent({ messages: messages({ reasoning_details: foreign }) }))).not.toMatch(/ignature/)
  })

  test('one call at a time is what is left of several', async () => {
    const events = await answered(calling, request({ tools: [weather], parallelToolCalls: false }))
    expect(toolCallsOf(events)).toHaveLength(1)
  })

  const choices: [string, Partial<ChatRequest>, unknown][] = [
    ['auto', { toolChoice: 'auto' }, { mode: 'AUTO' }],
    ['none', { toolChoice: 'none' }, { mode: 'NONE' }],
    ['required', { toolChoice: 'required' }, { mode: 'ANY' }],
    [
      'one function',
      { toolChoice: { type: 'function', function: { name: 'weather' } } },
      { mode: 'ANY', allowedFunctionNames: ['weather'] },
    ],
  ]
  test.each(choices)('may be chosen: %s', async (_, more, functionCallingConfig) => {
    const bare: ChatTool = { type: 'function', function: { name: 'now', parameters: { type: 'object' } } }
    const { name, description, parameters } = weather.function
    expect(await sent({ tools: [weather, bare], ...more })).toMatchObject({
      tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }, { name: 'now' }] }],
      toolConfig: { functionCallingConfig },
    })
  })

  test('a call that the model wrote badly is asked for again', async () => {
    const { engine } = await serveGoogle((_, response, round) =>
      sse(response, reply(...(round === 1 ? [part([], { finishReason: 'MALFORMED_FUNCTION_CALL' })] : HELLO))),
    )
    expect((await collect(engine))[0]).toEqual({ type: 'route', router: 'house', retries: 1 })
  })
})

test('a conversation with system messages, pictures, sound and films', async () => {
  const body = await sent({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'assistant', content: 'Welcome.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
          { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
          { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } },
          { type: 'video_url', video_url: { url: 'https://www.youtube.com/watch?v=9hE5-98ZeCg' } },
        ],
      },
      { role: 'developer', content: 'In French.' },
    ],
  })
  expect(body).toMatchObject({
    systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'In French.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'Begin.' }] },
      { role: 'model', parts: [{ text: 'Welcome.' }] },
      {
        role: 'user',
        parts: [
          { text: 'What is this?' },
          { inlineData: { mimeType: 'image/png', data: 'iVBORw==' } },
          { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } },
          { inlineData: { mimeType: 'video/mp4', data: 'AAAA' } },
          { fileData: { fileUri: 'https://www.youtube.com/watch?v=9hE5-98ZeCg' } },
        ],
      },
    ],
  })
})

test('a model that takes no system messages reads them in the user’s first', async () => {
  const { fake, engine } = await serveGoogle((_, response, round) =>
    fake.bodies[round - 1]?.systemInstruction
      ? response
          .writeHead(400)
          .end(fault(400, 'INVALID_ARGUMENT', 'Developer instruction is not enabled for models/gemma-3-27b-it'))
      : sse(response, reply(...HELLO)),
  )
  const messages: ChatMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
  ]
  for (let round = 0; round < 2; round++) expect(textOf(await collect(engine, request({ messages })))).toBe('Hello')
  expect(fake.bodies).toHaveLength(3)
  expect(fake.bodies[2]?.contents).toEqual([{ role: 'user', parts: [{ text: 'Be brief.' }, { text: 'Hi' }] }])
})

test('parameters have their places', async () => {
  const schema = { type: 'object', properties: { name: { type: 'string' } } }
  const { generationConfig } = await sent({
    n: 2,
    stop: ['END'],
    sampling: { temperature: 1.5, topP: 0.9, topK: 40, frequencyPenalty: 0.5, presencePenalty: -0.5, seed: 7 },
    logprobs: { top: 3 },
    responseFormat: { type: 'json_schema', json_schema: { name: 'person', schema } },
  })
  expect(generationConfig).toEqual({
    candidateCount: 2,
    maxOutputTokens: 1_000,
    stopSequences: ['END'],
    temperature: 1.5,
    topP: 0.9,
    topK: 40,
    frequencyPenalty: 0.5,
    presencePenalty: -0.5,
    seed: 7,
    responseLogprobs: true,
    logprobs: 3,
    responseMimeType: 'application/json',
    responseJsonSchema: schema,
    thinkingConfig: { includeThoughts: true },
  })
  expect((await sent({ responseFormat: { type: 'json_object' } })).generationConfig).toMatchObject({
    responseMimeType: 'application/json',
  })
})

test.each<[string, Partial<ChatRequest>]>([
  ['repetition_penalty', { sampling: { repetitionPenalty: 1.1 } }],
  ['min_p', { sampling: { minP: 0.1 } }],
  ['stop_token_ids', { stopTokenIds: [1] }],
])('%s is refused by name, and no call is made', async (name, more) => {
  const { fake, engine } = await serveGoogle(answer(...HELLO))
  await expect(collect(engine, request(more))).rejects.toMatchObject({
    reason: 'invalid-request',
    message: expect.stringContaining(`\`${name}\``),
  })
  expect(fake.bodies).toEqual([])
})

describe('how much a model thinks', () => {
  /** Serves a model that takes some settings of thoughts, and tells those that it was sent. */
  async function thinker(refusalOf: (config: Record<string, unknown> | undefined) => string | undefined) {
    const { fake, engine } = await serveGoogle((_, response, round) => {
      const message = refusalOf((fake.bodies[round - 1] as Body).generationConfig.thinkingConfig as never)
      if (message === undefined) sse(response, reply(...HELLO))
      else response.writeHead(400).end(fault(400, 'INVALID_ARGUMENT', message))
    })
    return async (reasoning: ChatRequest['reasoning']) => {
      const before = fake.bodies.length
      expect(textOf(await collect(engine, request({ reasoning })))).toBe('Hello')
      return fake.bodies.slice(before).map((body) => (body as Body).generationConfig.thinkingConfig)
    }
  }

  test('a model with levels', async () => {
    const ask = await thinker((config) =>
      config?.thinkingBudget === 0
        ? 'Budget 0 is invalid. This model only works in thinking mode.'
        : config?.thinkingLevel === 'MINIMAL'
          ? 'Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.'
          : undefined,
    )
    const shown = { includeThoughts: true }
    expect(await ask({ effort: 'xhigh' })).toEqual([{ ...shown, thinkingLevel: 'HIGH' }])
    expect(await ask({ effort: 'none' })).toEqual([
      { thinkingBudget: 0 },
      { thinkingLevel: 'MINIMAL' },
      { thinkingLevel: 'LOW' },
    ])
    expect(await ask({ isEnabled: false })).toEqual([{ thinkingLevel: 'LOW' }])
    expect(await ask({ effort: 'minimal' })).toEqual([{ ...shown, thinkingLevel: 'LOW' }])
    expect(await ask({ effort: 'medium' })).toEqual([{ ...shown, thinkingLevel: 'MEDIUM' }])
  })

  test('a model with budgets', async () => {
    const ask = await thinker((config) =>
      config && 'thinkingLevel' in config ? 'Thinking level is not supported for this model.' : undefined,
    )
    const level = { includeThoughts: true, thinkingLevel: 'HIGH' }
    expect(await ask({ effort: 'high' })).toEqual([level, { includeThoughts: true, thinkingBudget: 24_576 }])
    expect(await ask({ effort: 'minimal' })).toEqual([{ includeThoughts: true, thinkingBudget: 1_024 }])
    expect(await ask({ effort: 'none' })).toEqual([{ thinkingBudget: 0 }])
  })

  test('a model without thoughts', async () => {
    const ask = await thinker((config) =>
      config ? 'Unable to submit request because thinking is not supported by this model.' : undefined,
    )
    expect(await ask(undefined)).toEqual([{ includeThoughts: true }, undefined])
    expect(await ask({ effort: 'none' })).toEqual([undefined])
    expect(await ask({ effort: 'high' })).toEqual([undefined])
  })
})

describe('what goes wrong', () => {
  const failed = async (handler: FakeHandler, wanted = request()) => {
    const { fake, engine } = await serveGoogle(handler)
    const events: ChatEvent[] = []
    const error = await (async () => {
      for await (const event of engine.stream(wanted, new AbortController().signal)) events.push(event)
      return undefined
    })().catch((thrown) => thrown)
    return { error, events, calls: fake.bodies.length }
  }

  test('a quota that is used up says when it is not', async () => {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: 'x' }] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' },
    ]
    const body = fault(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan.', details)
    const { error } = await failed((_, response) => response.writeHead(429).end(body))
    expect(error).toMatchObject({ reason: 'overloaded', retryAfterSeconds: 35 })
  })

  test('a server that is overloaded for a moment is asked again', async () => {
    const { engine } = await serveGoogle((_, response, round) =>
      round === 1
        ? response.writeHead(503).end(fault(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'))
        : sse(response, reply(...HELLO)),
    )
    expect((await collect(engine))[0]).toEqual({ type: 'route', router: 'house', retries: 1 })
  })

  test.each([
    [429, 'RESOURCE_EXHAUSTED', 'overloaded'],
    [503, 'UNAVAILABLE', 'offline'],
    [500, 'INTERNAL', 'failed'],
    [504, 'DEADLINE_EXCEEDED', 'timeout'],
  ])('an answer that breaks off with %s keeps its text', async (code, status, reason) => {
    const broken = { error: { code, message: 'x', status } }
    const { error, events } = await failed(answer(part([{ text: 'Hel' }]), broken))
    expect([textOf(events), error?.reason]).toEqual(['Hel', reason])
  })

  test('a prompt that is blocked, or an answer before its first word, is the content’s fault', async () => {
    const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: USAGE }
    expect(await failed(answer(blocked))).toMatchObject({ error: { reason: 'content-policy' }, calls: 1 })
    for (const finishReason of ['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'BLOCKLIST', 'SPII', 'IMAGE_SAFETY']) {
      const { error } = await failed(answer({ candidates: [{ finishReason, index: 0 }], usageMetadata: USAGE }))
      expect(error).toMatchObject({ reason: 'content-policy' })
    }
  })

  test.each([
    [400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'],
    [400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'],
    [403, 'PERMISSION_DENIED', 'Method doesn’t allow unregistered callers AIza-secret'],
  ])('the operator’s own trouble stays with the operator: %s %s', async (code, status, message) => {
    const { error } = await failed((_, response) => response.writeHead(code).end(fault(code, status, message)))
    expect(error).toMatchObject({ reason: 'failed', message: 'The model cannot be used at the moment.' })
  })

  test('a bad request is told, without the key, and a prompt that is too long told apart', async () => {
    const refuse = (message: string) => failed((_, response) => response.writeHead(400).end(fault(400, 'X', message)))
    const { error } = await refuse('* generation_config.stop_sequences: AIza-secret is too many.')
    expect(error).toMatchObject({ reason: 'invalid-request', message: expect.stringContaining('generation_config') })
    expect(error.message).not.toContain('secret')
    const long = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'
    expect((await refuse(long)).error).toMatchObject({ reason: 'context-overflow' })
  })

  test('an answer without its end was cut', async () => {
    const { error, events } = await failed(answer(part([{ text: 'Hel' }])))
    expect([textOf(events), error?.reason]).toEqual(['Hel', 'failed'])
  })

  test.each<[string, string]>([
    ['HTML', '<!doctype html><title>Welcome</title>'],
    ['JSON of another kind', '{"hello":"world"}'],
    ['JSON that is cut off', 'data: {"candidates":[{"con\n\n'],
    ['a list, as without alt=sse', JSON.stringify(HELLO)],
    ['one endless line', `data: ${'x'.repeat(3_000_000)}`],
    ['nothing', ''],
    ['no candidate', frame({ candidates: [], usageMetadata: USAGE })],
  ])('%s is no answer', async (_, body) => {
    const { error, events } = await failed((_, response) => response.writeHead(200).end(body))
    expect([error?.reason, events]).toEqual(['failed', []])
  })

  test('parts of unknown kinds and impossible counts do no harm', async () => {
    const events = await answered([
      part(
        [{ executableCode: { code: 'x' } }, { inlineData: { mimeType: 'image/png', data: 'AA' } }, { text: 7 }],
        {},
        { promptTokenCount: 1e300 },
      ),
      { candidates: ['x', { index: 12, content: { parts: [{ text: 'other' }] } }] },
      part(
        [{ functionCall: { name: {}, args: 'x' } }, { text: 'Hi' }],
        { finishReason: 'STOP' },
        { promptTokenCount: -1 },
      ),
    ])
    expect(events).toEqual([
      { type: 'text-delta', choice: 0, text: 'Hi' },
      { type: 'choice-end', choice: 0, reason: 'stop' },
    ])
  })
})
