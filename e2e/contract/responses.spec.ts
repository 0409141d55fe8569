import OpenAI from 'openai'
import { expect, test } from '@/e2e/contract/shared-stage'
import type { Stage } from '@/e2e/testing/contract-stage'
import { COST_NANO, SPOKEN } from '@/e2e/testing/contract-upstream'
import { dataUrl, textPicture } from '@/e2e/testing/local-site'
import { addUp, readEvents } from '@/lib/endpoints/chat/responses/testing/reader'

const input = 'What does the tide do?'
const TEXT = SPOKEN.join('')
const PARAMETERS = { type: 'object', properties: { harbour: { type: 'string' } }, required: ['harbour'] }
const TIDE: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'get_tide',
  description: 'The tide in a harbour',
  parameters: PARAMETERS,
  strict: false,
}
const CITY = {
  type: 'object',
  properties: { city: { enum: ['Paris', 'Brest'] } },
  required: ['city'],
  additionalProperties: false,
}

let stage: Stage
let key: string

test.beforeAll(async ({ shared }) => {
  stage = shared.stage
  key = await stage.newKey()
})

const openai = (apiKey = key) => new OpenAI({ apiKey, baseURL: stage.baseUrl, maxRetries: 0 })
const reached = () => stage.upstream.bodies.at(-1) as Record<string, unknown> & { messages: Message[] }
type Message = { role: string; content: unknown; tool_calls?: unknown[] }

function post(body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${stage.baseUrl}/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

test.describe('the OpenAI client', () => {
  test('gets a whole answer with its usage and its price', async () => {
    const answer = await openai().responses.create({ model: 'say', input, instructions: 'Be brief.' })
    expect(answer).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'say',
      output_text: TEXT,
      usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13 },
      cost: { diem: 0, usd: Number(COST_NANO) / 1e9 },
    })
    expect(answer.id).toMatch(/^resp_/)
    expect(Math.abs(answer.created_at - Date.now() / 1000)).toBeLessThan(60)
    expect(reached().messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(String(reached().messages[0]!.content)).toMatch(/Be brief\.$/)
  })

  test('gets a stream, event by event', async () => {
    const stream = await openai().responses.create({ model: 'say', input, stream: true })
    const events: OpenAI.Responses.ResponseStreamEvent[] = []
    for await (const event of stream) events.push(event)
    expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      ...SPOKEN.map(() => 'output_text.delta'),
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ])
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    const last = events.at(-1)
    expect(last?.type === 'response.completed' && last.response.usage?.total_tokens).toBe(13)
  })

  test('adds a stream up with its own helper', async () => {
    const runner = openai().responses.stream({ model: 'say', input })
    let text = ''
    runner.on('response.output_text.delta', ({ delta, snapshot }) => {
      text += delta
      expect(snapshot).toBe(text)
    })
    const final = await runner.finalResponse()
    expect([text, final.output_text, final.status]).toEqual([TEXT, TEXT, 'completed'])
    expect(final.usage?.total_tokens).toBe(13)
  })

  test('calls a function and sends its result back, whole and streamed', async () => {
    const asked = await openai().responses.create({ model: 'tools', input, tools: [TIDE], tool_choice: 'auto' })
    const call = { type: 'function_call', call_id: 'call_tide', name: 'get_tide', arguments: '{"harbour":"Brest"}' }
    expect(asked.output).toMatchObject([{ ...call, status: 'completed' }])
    expect(reached().tools).toEqual([
      {
        type: 'function',
        function: { name: 'get_tide', description: 'The tide in a harbour', parameters: PARAMETERS, strict: false },
      },
    ])

    const runner = openai().responses.stream({ model: 'tools', input, tools: [TIDE] })
    const streamed = await runner.finalResponse()
    expect(streamed.output).toMatchObject([{ ...call, status: 'completed' }])

    const result = { type: 'function_call_output' as const, call_id: 'call_tide', output: 'rising' }
    const history: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: input },
      ...(streamed.output as OpenAI.Responses.ResponseFunctionToolCall[]),
      result,
    ]
    const answer = await openai().responses.create({ model: 'tools', input: history, tools: [TIDE] })
    expect(answer.output_text).toBe('It is rising.')
    expect(reached().messages.slice(-2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'call_tide', function: { name: 'get_tide' } }] },
      { role: 'tool', tool_call_id: 'call_tide', content: 'rising' },
    ])
  })

  test('gets structured output: the schema reaches the model, and the embedded one keeps to it', async () => {
    const format = { type: 'json_schema' as const, name: 'place', schema: CITY, strict: true }
    await openai().responses.create({ model: 'able', input, text: { format } })
    expect(reached().response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'place', schema: CITY, strict: true },
    })
    const runner = openai().responses.stream({
      model: 'small',
      input: 'Name a city.',
      max_output_tokens: 48,
      text: { format },
    })
    const { output_text } = await runner.finalResponse()
    expect(['Paris', 'Brest']).toContain((JSON.parse(output_text) as { city: string }).city)
  })

  test('shows an image', async () => {
    const image_url = dataUrl('image/png', await textPicture('LAGOON'))
    const content: OpenAI.Responses.ResponseInputMessageContentList = [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', image_url, detail: 'auto' },
    ]
    const answer = await openai().responses.create({ model: 'able', input: [{ role: 'user', content }] })
    expect(answer.output_text).toBe(TEXT)
    expect(reached().messages.at(-1)!.content).toMatchObject([
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/(png|jpeg);base64,/) } },
    ])
  })

  test('reads thoughts from the plain stream and with its helper, and sends them back without harm', async () => {
    const stream = await openai().responses.create({ model: 'thinker', input, stream: true })
    const pieces: string[] = []
    let output: OpenAI.Responses.ResponseOutputItem[] = []
    for await (const event of stream) {
      const { type, delta } = event as { type: string; delta?: string }
      if (type === 'response.reasoning_summary_text.delta') pieces.push(delta ?? '')
      if (event.type === 'response.completed') output = event.response.output
    }
    expect(pieces.join('')).toBe('three times two')
    expect(output).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'three times two' }] },
      { type: 'message', content: [{ text: 'Six.' }] },
    ])
    let snapshot = ''
    const runner = openai().responses.stream({ model: 'thinker', input })
    runner.on('response.reasoning_summary_text.delta', ({ delta }) => {
      snapshot += delta
    })
    const final = await runner.finalResponse()
    expect([snapshot, final.output_text]).toEqual(['three times two', 'Six.'])
    expect(final.output[0]).toMatchObject({ summary: [{ type: 'summary_text', text: 'three times two' }] })
    const history = [...(output as OpenAI.Responses.ResponseInput), { role: 'user' as const, content: 'And?' }]
    expect((await openai().responses.create({ model: 'able', input: history })).status).toBe('completed')
    expect(
      reached()
        .messages.slice(-2)
        .map(({ content }) => content),
    ).toEqual(['Six.', 'And?'])
  })

  test('meets each failure as the class that it knows', async () => {
    const ask = (client: OpenAI, more: object) =>
      client.responses.create({ model: 'say', input, stream: false, ...more }).catch((error) => error)
    expect(await ask(openai('SERVICE_INFERENCE_KEY_wrong'), {})).toBeInstanceOf(OpenAI.AuthenticationError)
    expect(await ask(openai(), { model: 'no-such-model' })).toBeInstanceOf(OpenAI.NotFoundError)
    expect(await ask(openai(), { temperature: 9 })).toBeInstanceOf(OpenAI.BadRequestError)
    expect(await ask(openai(), { model: 'error-429' })).toBeInstanceOf(OpenAI.RateLimitError)
    expect(await ask(openai(), { model: 'error-500' })).toBeInstanceOf(OpenAI.InternalServerError)
    const poor = await ask(openai(await stage.newKey('0.05')), {})
    expect(poor.status).toBe(402)
  })

  test('is told of a failure in mid-stream by its helper', async () => {
    const final = await openai().responses.stream({ model: 'reset-mid', input }).finalResponse()
    expect(final).toMatchObject({ status: 'failed', error: { code: 'INFERENCE_FAILED' }, output_text: TEXT })
  })

  test('ends the upstream when it aborts', async () => {
    await expect.poll(() => stage.upstream.streams.running).toBe(0)
    const before = stage.upstream.streams.left
    const stream = await openai().responses.create({ model: 'slow', input, stream: true })
    for await (const event of stream) if (event.type === 'response.output_text.delta') break
    await expect.poll(() => stage.upstream.streams.left).toBe(before + 1)
  })
})

test.describe('on the wire', () => {
  test('an event line, a data line, a blank one; the end mark last; nothing compressed', async () => {
    const response = await post({ model: 'done', input, stream: true }, { 'accept-encoding': 'gzip, br' })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('content-encoding')).toBeNull()
    const text = await response.text()
    expect(text).toMatch(/^(event: [a-z_.]+\ndata: \{[^\n]+\}\n\n)+data: \[DONE\]\n\n$/)
    expect(text.indexOf('[DONE]')).toBe(text.lastIndexOf('[DONE]'))
    const events = readEvents(text)
    expect(addUp(events)).toEqual(events.at(-1)!.response.output)
    expect(events.at(-1)!.response.output).toMatchObject([{ content: [{ text: 'data: [DONE]\n\ndata: [DONE]' }] }])
  })

  test('an agent that knows nothing is told how to pay', async () => {
    const response = await fetch(`${stage.baseUrl}/responses`, { method: 'POST' })
    expect(response.status).toBe(402)
    expect(response.headers.get('payment-required')).toBeTruthy()
  })

  test('other methods are not allowed, and preflights are answered', async () => {
    const got = await fetch(`${stage.baseUrl}/responses`)
    expect([got.status, got.headers.get('allow')]).toEqual([405, expect.stringContaining('POST')])
    const preflight = await fetch(`${stage.baseUrl}/responses`, { method: 'OPTIONS' })
    expect(preflight.status).toBe(204)
  })

  test('a fault is told where the caller wrote it', async () => {
    const content = [{ type: 'input_image', image_url: 'http://127.0.0.1:1/x.png' }]
    const response = await post({
      model: 'able',
      instructions: 'x',
      input: [{ type: 'reasoning' }, { role: 'user', content }],
    })
    const body = (await response.json()) as { issues: { path: unknown[] }[] }
    expect([response.status, body.issues[0]?.path]).toEqual([400, ['input', 1, 'content', 0, 'image_url']])
  })
})
