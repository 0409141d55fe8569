import { afterEach, expect, test } from 'vitest'
import { listModels, targetOf } from '@/lib/services/models/providers/list-models'
import { PRESETS } from '@/lib/services/models/providers/presets'
import {
  chatAnswer,
  jsonAnswer,
  OPENROUTER_MODELS,
  startVendor,
  type Vendor,
  withKey,
} from '@/lib/services/models/providers/testing/vendors'
import { tryModel } from '@/lib/services/models/providers/try-model'

const vendors: Vendor[] = []
afterEach(async () => {
  await Promise.all(vendors.splice(0).map((vendor) => vendor.close()))
})

async function vendor(paths: Parameters<typeof startVendor>[0]): Promise<Vendor> {
  const started = await startVendor(paths)
  vendors.push(started)
  return started
}

const list = (preset: string | undefined, address: string, key?: string) =>
  listModels(targetOf({ preset, address, key }))

test('OpenAI: names only, sorted by kind; what cannot be connected is counted', async () => {
  const rows = [
    'gpt-5.2',
    'text-embedding-3-small',
    'whisper-1',
    'gpt-4o-mini-tts',
    'gpt-image-1',
    'omni-moderation-latest',
    'sora-2',
  ]
  const { origin } = await vendor({
    'GET /v1/models': withKey('sk-right', {
      object: 'list',
      data: rows.map((id) => ({ id, object: 'model', created: 5, owned_by: 'system' })),
    }),
  })
  const { models, omitted, target } = await list('openai', `${origin}/v1`, 'sk-right')
  expect(models).toEqual([
    expect.objectContaining({ upstreamModel: 'gpt-5.2', type: 'text', contextTokens: 400_000 }),
    expect.objectContaining({ upstreamModel: 'gpt-image-1', type: 'image' }),
    expect.objectContaining({ upstreamModel: 'sora-2', type: 'video' }),
    expect.objectContaining({ upstreamModel: 'text-embedding-3-small', type: 'embedding' }),
    expect.objectContaining({ upstreamModel: 'gpt-4o-mini-tts', type: 'tts' }),
    expect.objectContaining({ upstreamModel: 'whisper-1', type: 'asr' }),
  ])
  expect(omitted).toBe(1)
  expect(target.definition).toEqual({
    kind: 'openai',
    baseUrls: [`${origin}/v1`],
    apiKey: 'sk-right',
    thinkingSwitch: 'reasoning_effort',
    maxTokensField: 'max_completion_tokens',
  })
})

test('OpenRouter: prices per token as text, context, and what each model can do', async () => {
  const { origin } = await vendor({ 'GET /api/v1/models': OPENROUTER_MODELS })
  const { models } = await list('openrouter', `${origin}/api/v1`, 'sk-or')
  expect(models[0]).toEqual({
    upstreamModel: 'qwen/qwen3-coder',
    name: 'Qwen: Qwen3 Coder 480B A35B',
    type: 'text',
    created: 1753230546,
    contextTokens: 262144,
    maxCompletionTokens: 65536,
    capabilities: {
      supportsFunctionCalling: true,
      supportsResponseSchema: true,
      supportsReasoning: false,
      supportsLogProbs: true,
      supportsVision: false,
      supportsAudioInput: false,
      supportsVideoInput: false,
    },
    cost: { input: 0.2, output: 0.85, cacheInput: 0.02 },
  })
  expect(models[1]).toMatchObject({
    cost: { input: 0.3, output: 2.5 },
    capabilities: { supportsVision: true, supportsAudioInput: true, supportsReasoning: true },
  })
  expect(models[2]!.cost).toBeNull()
  // It varies with the model that is chosen. On this machine such a server is taken to be free.
  expect(models[3]!.cost).toBeNull()
})

test('Anthropic: pages, its own headers, and its own names of limits', async () => {
  const model = (id: string) => ({
    type: 'model',
    id,
    display_name: id.toUpperCase(),
    created_at: '2026-02-01T00:00:00Z',
    max_input_tokens: 1_000_000,
    max_tokens: 64_000,
    capabilities: {
      image_input: { supported: true },
      thinking: { supported: true },
      structured_outputs: { supported: true },
    },
  })
  const { origin, requests } = await vendor({
    'GET /v1/models?limit=1000': { data: [model('claude-a')], has_more: true, last_id: 'claude-a' },
    'GET /v1/models?limit=1000&after_id=claude-a': { data: [model('claude-b')], has_more: false, last_id: 'claude-b' },
  })
  const { models } = await list('anthropic', `${origin}/v1`, 'sk-ant')
  expect(models.map(({ upstreamModel }) => upstreamModel)).toEqual(['claude-a', 'claude-b'])
  expect(models[0]).toMatchObject({
    name: 'CLAUDE-A',
    created: 1769904000,
    contextTokens: 1_000_000,
    maxCompletionTokens: 64_000,
    capabilities: { supportsFunctionCalling: true, supportsVision: true, supportsReasoning: true },
  })
  expect(requests[0]!.headers).toMatchObject({ 'x-api-key': 'sk-ant', 'anthropic-version': '2023-06-01' })
  expect(requests[0]!.headers.authorization).toBeUndefined()
})

test('Google: chat models of the native list, the others counted; its version is added to the address', async () => {
  const { origin, requests } = await vendor({
    'GET /v1beta/models': {
      models: [
        {
          name: 'models/gemini-3-flash',
          displayName: 'Gemini 3 Flash',
          inputTokenLimit: 1048576,
          outputTokenLimit: 65536,
          supportedGenerationMethods: ['generateContent', 'countTokens'],
          thinking: true,
        },
        {
          name: 'models/gemini-embedding-001',
          displayName: 'Gemini Embedding',
          inputTokenLimit: 2048,
          outputTokenLimit: 1,
          supportedGenerationMethods: ['embedContent'],
        },
        { name: 'models/veo-3.0', supportedGenerationMethods: ['predictLongRunning'] },
      ],
    },
  })
  const { target, models, omitted } = await list('google', origin, 'AIza')
  expect(models).toMatchObject([
    {
      upstreamModel: 'gemini-3-flash',
      type: 'text',
      contextTokens: 1048576,
      maxCompletionTokens: 65536,
      capabilities: { supportsReasoning: true },
    },
  ])
  expect(omitted).toBe(2)
  expect(target.definition).toEqual({ kind: 'google', baseUrls: [`${origin}/v1beta`], apiKey: 'AIza' })
  expect(requests[0]!.headers['x-goog-api-key']).toBe('AIza')
})

test('xAI: prices in hundredths of a cent; Together: dollars per million; Mistral: what chats', async () => {
  const { origin } = await vendor({
    'GET /xai/language-models': {
      models: [
        {
          id: 'grok-4',
          created: 7,
          input_modalities: ['text', 'image'],
          prompt_text_token_price: 30000,
          cached_prompt_text_token_price: 7500,
          completion_text_token_price: 150000,
        },
      ],
    },
    'GET /together/models': [
      {
        id: 'meta-llama/Llama-4',
        type: 'chat',
        display_name: 'Llama 4',
        context_length: 131072,
        pricing: { input: 0.27, output: 0.85, hourly: 0 },
      },
      { id: 'black-forest-labs/FLUX.1', type: 'image', pricing: { input: 0, output: 0 } },
      { id: 'cartesia/sonic', type: 'audio' },
    ],
    'GET /mistral/models': {
      data: [
        {
          id: 'mistral-large',
          capabilities: { completion_chat: true, function_calling: true, vision: true },
          max_context_length: 131072,
        },
        { id: 'mistral-ocr', capabilities: { completion_chat: false } },
      ],
    },
  })
  expect((await list('xai', `${origin}/xai`, 'k')).models).toMatchObject([
    {
      upstreamModel: 'grok-4',
      cost: { input: 3, output: 15, cacheInput: 0.75 },
      capabilities: { supportsVision: true },
    },
  ])
  const together = await list('together', `${origin}/together`, 'k')
  expect(together).toMatchObject({
    omitted: 0,
    models: [
      { upstreamModel: 'meta-llama/Llama-4', cost: { input: 0.27, output: 0.85 }, contextTokens: 131072 },
      { upstreamModel: 'black-forest-labs/FLUX.1', type: 'image' },
      { upstreamModel: 'cartesia/sonic', type: 'tts' },
    ],
  })
  expect(await list('mistral', `${origin}/mistral`, 'k')).toMatchObject({
    omitted: 1,
    models: [
      {
        upstreamModel: 'mistral-large',
        contextTokens: 131072,
        capabilities: { supportsFunctionCalling: true, supportsVision: true },
      },
    ],
  })
})

test('Ollama and LM Studio: their own lists, whichever address was entered', async () => {
  const ollama = await vendor({
    'GET /api/tags': {
      models: [
        { name: 'qwen3:8b', digest: 'a' },
        { name: 'nomic-embed-text', digest: 'b' },
      ],
    },
    'POST /api/show': (_, response, body) =>
      response.end(
        JSON.stringify(
          body.includes('qwen')
            ? {
                capabilities: ['completion', 'tools', 'thinking'],
                parameters: 'num_ctx 16384',
                model_info: { 'qwen3.context_length': 40960 },
              }
            : { capabilities: ['embedding'] },
        ),
      ),
  })
  for (const address of [ollama.origin, `${ollama.origin}/v1/`]) {
    const { target, models } = await list('ollama', address)
    expect(target.address).toBe(`${ollama.origin}/v1`)
    expect(models).toMatchObject([
      { upstreamModel: 'qwen3:8b', contextTokens: 16384, cost: null, capabilities: { supportsReasoning: true } },
      { upstreamModel: 'nomic-embed-text', type: 'embedding' },
    ])
  }
  const studio = await vendor({
    'GET /api/v0/models': {
      object: 'list',
      data: [
        { id: 'qwen2-vl-7b', object: 'model', type: 'vlm', state: 'not-loaded', max_context_length: 32768 },
        {
          id: 'gemma-3-4b',
          type: 'llm',
          state: 'loaded',
          max_context_length: 131072,
          loaded_context_length: 4096,
          capabilities: ['tool_use'],
        },
        { id: 'text-embedding-nomic', type: 'embeddings', max_context_length: 2048 },
      ],
    },
  })
  expect((await list('lm-studio', studio.origin)).models).toMatchObject([
    { upstreamModel: 'gemma-3-4b', contextTokens: 4096, capabilities: { supportsFunctionCalling: true } },
    { upstreamModel: 'qwen2-vl-7b', contextTokens: 32768, capabilities: { supportsVision: true } },
    { upstreamModel: 'text-embedding-nomic', type: 'embedding' },
  ])
})

test.each([
  ['vllm', { id: 'llama', owned_by: 'vllm', max_model_len: 8192 }, 8192],
  ['sglang', { id: 'llama', owned_by: 'sglang', max_model_len: 4096 }, 4096],
  ['llama-cpp', { id: 'llama', owned_by: 'llamacpp' }, 16384],
])('an address alone is enough for %s, also without its /v1', async (preset, row, contextTokens) => {
  const { origin } = await vendor({
    'GET /v1/models': { object: 'list', data: [row] },
    'GET /props': { default_generation_settings: { n_ctx: 16384 }, modalities: { vision: true } },
  })
  const { target, models } = await list(undefined, origin.replace('http://', ''))
  expect(target).toMatchObject({ address: `${origin}/v1`, preset: { id: preset } })
  expect(models).toMatchObject([{ upstreamModel: 'llama', contextTokens, cost: null }])
})

test('ComfyUI and Stable Diffusion WebUI: their checkpoints, in both shapes', async () => {
  const node = (ckpt_name: unknown) => ({ CheckpointLoaderSimple: { input: { required: { ckpt_name } } } })
  const old = await vendor({ 'GET /object_info/CheckpointLoaderSimple': node([['sdxl.safetensors', 'flux.ckpt'], {}]) })
  const recent = await vendor({
    'GET /object_info/CheckpointLoaderSimple': node(['COMBO', { options: ['sdxl.safetensors'] }]),
  })
  expect((await list('comfyui', old.origin)).models).toMatchObject([
    { upstreamModel: 'flux.ckpt', name: 'flux', type: 'image', cost: null },
    { upstreamModel: 'sdxl.safetensors', name: 'sdxl' },
  ])
  // An address that says nothing about itself is tried in this form, too.
  const found = await list(undefined, recent.origin)
  expect(found.target.definition).toMatchObject({ imageStyle: 'comfyui', baseUrls: [recent.origin] })
  const webui = await vendor({ 'GET /sdapi/v1/sd-models': [{ title: 'v1-5 [abc]', model_name: 'v1-5' }] })
  expect((await list('sd-webui', webui.origin)).models).toMatchObject([{ upstreamModel: 'v1-5', type: 'image' }])
})

test.each([
  [
    'a web page',
    { 'GET /v1/models': (_: unknown, response: { end: (text: string) => void }) => response.end('<html>') },
    'not-an-api',
  ],
  ['JSON of another kind', { 'GET /v1/models': { hello: 'world' } }, 'not-an-api'],
  ['nothing at this path', {}, 'not-an-api'],
  ['a wrong key', { 'GET /v1/models': withKey('sk-right', {}) }, 'key-refused'],
  [
    'a wrong key, as Google says it',
    {
      'GET /v1/models': jsonAnswer(400, [
        { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } },
      ]),
    },
    'key-refused',
  ],
  [
    'an empty account',
    { 'GET /v1/models': jsonAnswer(402, { error: { message: 'Insufficient Balance' } }) },
    'no-credit',
  ],
  [
    'a used-up quota',
    { 'GET /v1/models': jsonAnswer(429, { error: { message: 'Quota', type: 'insufficient_quota' } }) },
    'no-credit',
  ],
  ['a rate limit', { 'GET /v1/models': jsonAnswer(429, { error: { message: 'Slow down' } }) }, 'busy'],
  ['a broken server', { 'GET /v1/models': jsonAnswer(500, { error: 'boom' }) }, 'failed'],
])('%s is named', async (_, paths, fault) => {
  const { origin } = await vendor(paths as never)
  const error = await list('openai', `${origin}/v1`, 'sk-wrong').catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'ProbeError', fault })
  expect(String(error)).not.toContain('sk-wrong')
})

test('a redirect is named with its target, and not followed with the key', async () => {
  const elsewhere = await vendor({ 'GET /v1/models': { data: [] } })
  const { origin } = await vendor({
    'GET /v1/models': (_, response) => response.writeHead(308, { location: `${elsewhere.origin}/v1/models?x=1` }).end(),
  })
  await expect(list('openai', `${origin}/v1`, 'sk')).rejects.toMatchObject({
    fault: 'redirect',
    detail: `${elsewhere.origin}/v1/models`,
  })
  expect(elsewhere.requests).toEqual([])
})

test('nobody there, and a server without a key that needs one', async () => {
  await expect(list(undefined, 'http://127.0.0.1:9')).rejects.toMatchObject({ fault: 'unreachable' })
  const { origin } = await vendor({ 'GET /v1/models': withKey('right', {}) })
  await expect(list(undefined, `${origin}/v1`)).rejects.toMatchObject({ fault: 'key-missing' })
})

test.each([
  ['', 'bad-address'],
  ['ftp://example.com', 'bad-address'],
  ['https://user:secret@example.com/v1', 'bad-address'],
  ['https://example.com/v1?key=1', 'bad-address'],
  ['http://', 'bad-address'],
  ['not an address', 'bad-address'],
  ['http://example.com/v1', 'insecure'],
])('the address "%s" is refused as %s', (address, fault) => {
  expect(() => targetOf({ address, key: 'sk-secret' })).toThrow(expect.objectContaining({ fault }))
})

test('pasted paths become base URLs, and known hosts their presets', () => {
  expect(targetOf({ address: 'api.openai.com/v1/chat/completions', key: 'k' })).toMatchObject({
    address: 'https://api.openai.com/v1',
    preset: { id: 'openai' },
  })
  expect(targetOf({ address: 'localhost:8000/v1/' }).address).toBe('http://localhost:8000/v1')
  expect(targetOf({ address: '192.168.0.7:1234', key: 'k' }).address).toBe('http://192.168.0.7:1234')
  expect(() => targetOf({ preset: 'openai' })).toThrow(expect.objectContaining({ fault: 'key-missing' }))
})

test('each preset is a valid target', () => {
  for (const { id, address } of PRESETS) expect(targetOf({ preset: id, key: 'k' }).address).toBe(address)
})

test('a word is asked for on the path of callers’ requests', async () => {
  const { origin, requests } = await vendor({ 'POST /v1/chat/completions': chatAnswer })
  const target = targetOf({ preset: 'openai', address: `${origin}/v1`, key: 'sk-right' })
  expect(await tryModel(target, 'gpt-5.2', 'text')).toBe('Hello')
  expect(requests[0]!.headers.authorization).toBe('Bearer sk-right')
  expect(JSON.parse(requests[0]!.body)).toMatchObject({ model: 'gpt-5.2', max_completion_tokens: 256 })
})

test.each([
  [401, { error: { message: 'Incorrect API key', code: 'invalid_api_key' } }, 'key-refused'],
  [404, { error: { message: 'The model does not exist', code: 'model_not_found' } }, 'no-model'],
  [429, { error: { message: 'You exceeded your quota', type: 'insufficient_quota' } }, 'no-credit'],
  [402, { error: { message: 'Insufficient credits' } }, 'no-credit'],
  [400, { error: { message: 'max_tokens is too large' } }, 'failed'],
])('a word that is refused with %i says why', async (status, body, fault) => {
  const { origin } = await vendor({ 'POST /v1/chat/completions': jsonAnswer(status, body) })
  const target = targetOf({ preset: 'openai', address: `${origin}/v1`, key: 'sk-wrong' })
  await expect(tryModel(target, 'gpt-5.2', 'text')).rejects.toMatchObject({ fault })
})

const events = (...values: object[]) => values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')

test('Claude and Gemini are asked for a word in their own forms', async () => {
  const stream =
    (body: string): Parameters<typeof startVendor>[0][string] =>
    (_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body)
  const { origin, requests } = await vendor({
    'POST /v1/messages': stream(
      events(
        {
          type: 'message_start',
          message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 9, output_tokens: 1 } },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Yes' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
        { type: 'message_stop' },
      ),
    ),
    'POST /v1beta/models/gemini-3-flash:streamGenerateContent': stream(
      events({
        candidates: [{ content: { role: 'model', parts: [{ text: 'Here' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1, totalTokenCount: 10 },
      }),
    ),
  })
  const claude = targetOf({ preset: 'anthropic', address: `${origin}/v1`, key: 'sk-ant' })
  expect(await tryModel(claude, 'claude-sonnet-5', 'text')).toBe('Yes')
  expect(requests[0]!.headers['x-api-key']).toBe('sk-ant')
  const gemini = targetOf({ preset: 'google', address: `${origin}/v1beta`, key: 'AIza' })
  expect(await tryModel(gemini, 'gemini-3-flash', 'text')).toBe('Here')
  expect(requests[1]!.headers['x-goog-api-key']).toBe('AIza')
})

test('an embedding model is asked for a vector, and an image model for nothing', async () => {
  const { origin, requests } = await vendor({ 'POST /v1/embeddings': { data: [{ index: 0, embedding: [0.1, 0.2] }] } })
  const target = targetOf({ address: `${origin}/v1` })
  expect(await tryModel(target, 'bge-m3', 'embedding')).toBe('')
  expect(await tryModel(target, 'sdxl', 'image')).toBe('')
  expect(requests.map(({ line }) => line)).toEqual(['POST /v1/embeddings'])
})
