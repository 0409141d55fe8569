import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { startLocalServer } from '@/lib/kernel/testing/local-server'
import { PLAIN } from '@/lib/services/engines/upstream/testing/fake-upstream'

export type Vendor = {
  origin: string
  /** Method, path and query of each request, in order. */
  requests: { line: string; headers: IncomingMessage['headers']; body: string }[]
  close: () => Promise<void>
}

type Answer = object | ((request: IncomingMessage, response: ServerResponse, body: string) => unknown)

/** Starts a server on loopback that answers these paths, `GET /a` or with its query, and everything else with 404. */
export async function startVendor(paths: Record<string, Answer>): Promise<Vendor> {
  const requests: Vendor['requests'] = []
  const { origin, close } = await startLocalServer(async (request, response) => {
    const body = await text(request)
    const line = `${request.method} ${request.url}`
    requests.push({ line, headers: request.headers, body })
    const answer = paths[line] ?? paths[line.split('?')[0]!]
    if (typeof answer === 'function') return void answer(request, response, body)
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { detail: 'Not Found' }))
  })
  return { origin, requests, close }
}

export const jsonAnswer =
  (status: number, body: unknown): Answer =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Refuses every key but one, as the vendors with the compatible form do. */
export const withKey =
  (key: string, answer: object): Answer =>
  ({ headers }, response) => {
    const isRight = headers.authorization === `Bearer ${key}`
    const refusal = {
      error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' },
    }
    response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isRight ? answer : refusal))
  }

/** Answers a chat with "Hello", as a stream. */
export const chatAnswer: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(PLAIN)
}

export const OPENROUTER_MODELS = {
  data: [
    {
      id: 'qwen/qwen3-coder',
      name: 'Qwen: Qwen3 Coder 480B A35B',
      created: 1753230546,
      context_length: 262144,
      architecture: { modality: 'text->text', input_modalities: ['text'], output_modalities: ['text'] },
      pricing: {
        prompt: '0.0000002',
        completion: '0.00000085',
        request: '0',
        image: '0',
        input_cache_read: '0.00000002',
      },
      top_provider: { context_length: 262144, max_completion_tokens: 65536, is_moderated: false },
      supported_parameters: ['tools', 'tool_choice', 'response_format', 'structured_outputs', 'logprobs'],
    },
    {
      id: 'google/gemini-2.5-flash',
      name: 'Google: Gemini 2.5 Flash',
      created: 1750172488,
      context_length: 1048576,
      architecture: { input_modalities: ['file', 'image', 'text', 'audio'], output_modalities: ['text'] },
      pricing: { prompt: '0.0000003', completion: '0.0000025', internal_reasoning: '0' },
      top_provider: { max_completion_tokens: 65535 },
      supported_parameters: ['tools', 'reasoning'],
    },
    {
      id: 'deepseek/deepseek-r1:free',
      name: 'DeepSeek: R1 (free)',
      created: 1737381095,
      context_length: 163840,
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      pricing: { prompt: '0', completion: '0' },
      supported_parameters: ['reasoning'],
    },
    {
      id: 'openrouter/auto',
      name: 'Auto Router',
      created: 1699401600,
      context_length: 2000000,
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      pricing: { prompt: '-1', completion: '-1' },
      supported_parameters: [],
    },
  ],
}

/** A row of a collection in the predictions form, as its vendor writes it. */
export const predictionModel = (changes: object = {}, properties: object = {}, required = ['prompt']) => ({
  url: 'https://models.example/acme/film',
  owner: 'acme',
  name: 'film',
  is_official: true,
  latest_version: {
    id: 'f'.repeat(64),
    created_at: '2026-02-01T00:00:00.000000Z',
    openapi_schema: {
      components: {
        schemas: {
          Input: {
            type: 'object',
            required,
            properties: {
              prompt: { type: 'string' },
              seconds: { allOf: [{ $ref: '#/components/schemas/seconds' }], default: 5 },
              aspect_ratio: { enum: ['16:9', '9:16', 'portrait'], type: 'string' },
              resolution: { enum: ['720p'], type: 'string' },
              start_image: { type: 'string', format: 'uri' },
              generate_audio: { type: 'boolean', default: true },
              ...properties,
            },
          },
          seconds: { enum: [5, 8], type: 'integer' },
        },
      },
    },
  },
  ...changes,
})
