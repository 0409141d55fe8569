import { z } from 'zod'
import { WEB_SEARCH_STATUSES } from '@/lib/contract/chat.schema'

const count = z.int().min(0)

const Citation = z.object({
  title: z.string(),
  url: z.string(),
  content: z.string().optional(),
  date: z.string().optional(),
})

/** `service_parameters` of a reply: the options that took effect. */
export const ServiceParametersEcho = z.object({
  character_slug: z.string().optional(),
  enable_e2ee: z.boolean(),
  enable_web_citations: z.boolean(),
  enable_web_scraping: z.boolean(),
  enable_web_search: z.enum(['auto', 'off', 'on']),
  include_service_system_prompt: z.boolean(),
  include_search_results_in_stream: z.boolean(),
  return_search_results_as_documents: z.boolean(),
  strip_thinking_response: z.boolean(),
  disable_thinking: z.boolean(),
  web_search_citations: z.array(Citation),
  assists: z
    .array(
      z.object({ type: z.enum(['image_url', 'input_audio', 'video_url']), model: z.string(), cost_usd: z.number() }),
    )
    .optional(),
})

/** How the web step ended: in streams and responses, beside the options. */
export const web_search_status = z.enum(WEB_SEARCH_STATUSES).optional()

export const Cost = z.object({ diem: z.number().min(0), usd: z.number().min(0) })

const Usage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: count, cache_creation_input_tokens: count }),
  completion_tokens_details: z.object({ reasoning_tokens: count }),
})

const token = { token: z.string(), logprob: z.number(), bytes: z.array(z.int()).nullish() }
const Logprob = z.looseObject({ ...token, top_logprobs: z.array(z.looseObject(token)).optional() })
const Logprobs = Logprob.extend({ content: z.array(Logprob) }).nullable()

const finish_reason = z.enum(['stop', 'length', 'tool_calls'])
const ToolCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
})
const details = z.array(z.record(z.string(), z.unknown())).optional()

/** An answer that is sent whole, as `lib/endpoints/chat/completion.ts` writes it. Source: API contract, chat.md 8. */
export const ChatCompletion = z.object({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: count,
      finish_reason,
      stop_reason: z.enum(['stop', 'length']),
      logprobs: Logprobs,
      message: z.object({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        reasoning_content: z.string().nullable(),
        reasoning_details: details,
        tool_calls: z.array(ToolCall).optional(),
      }),
    }),
  ),
  usage: Usage,
  prompt_logprobs: z.array(z.unknown()).nullish(),
  cost: Cost.optional(),
  service_parameters: ServiceParametersEcho,
})

const ToolCallDelta = z.object({
  index: count,
  id: z.string().optional(),
  type: z.literal('function').optional(),
  function: z.object({ name: z.string().optional(), arguments: z.string() }),
})

const Chunk = z.object({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: count,
      delta: z.object({
        role: z.literal('assistant').optional(),
        content: z.string().optional(),
        reasoning_content: z.string().optional(),
        reasoning_details: details,
        tool_calls: z.array(ToolCallDelta).optional(),
      }),
      finish_reason: finish_reason.nullable(),
      logprobs: Logprobs,
    }),
  ),
  usage: Usage.optional(),
  cost: Cost.optional(),
  service_parameters: ServiceParametersEcho.partial().extend({ web_search_status }).optional(),
})

const StreamError = z.object({
  error: z.object({
    message: z.string(),
    type: z.enum(['server_error', 'invalid_request_error', 'api_error']),
    code: z.string(),
    param: z.null(),
    retry_after: z.number().optional(),
  }),
})

/** One event of a streamed answer, as `lib/endpoints/chat/completion.ts` writes it: a chunk, or the error that ends it. */
export const ChatCompletionEvent = z.union([Chunk, StreamError])
