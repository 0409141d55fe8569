import { z } from 'zod'

/** Bounds of one request. Source: research on limits; the contract names the cap of `n` and the four stop sequences. */
const MAX_MESSAGES = 2000
const MAX_PARTS = 4000
const MAX_TOOLS = 256
const MAX_NAME_CHARS = 256
const MAX_CHOICES = 10
const MAX_STOP = 4
/** No engine tells more alternatives; who asks for more gets as many. */
const MAX_TOP_LOGPROBS = 20

/** `null` means absent on the chat-style endpoints (contract, README 3). */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => (value === null ? undefined : value))

const CacheControl = z.object({ type: z.literal('ephemeral'), ttl: optional(z.string()) })
const part = { cache_control: optional(CacheControl) }

const TextPart = z.object({ type: z.literal('text'), text: z.string().min(1), ...part })
const ImagePart = z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string().min(1) }), ...part })
export const AudioFormat = z.enum(['wav', 'mp3', 'aiff', 'aac', 'ogg', 'flac', 'm4a', 'pcm16', 'pcm24'])
const AudioPart = z.object({
  type: z.literal('input_audio'),
  input_audio: z.object({ data: z.string().min(1), format: AudioFormat.default('wav') }),
  ...part,
})
const VideoPart = z.object({ type: z.literal('video_url'), video_url: z.object({ url: z.string().min(1) }), ...part })
const FilePart = z.object({
  type: z.literal('file'),
  file: z.object({ file_data: z.string().min(1), filename: optional(z.string()) }),
  ...part,
})

const UserPart = z.discriminatedUnion('type', [TextPart, ImagePart, AudioPart, VideoPart, FilePart])
const CONTENT = `must be text, or a list of 1 to ${MAX_PARTS} parts`
const text = z.union([z.string(), z.array(TextPart).min(1).max(MAX_PARTS)], CONTENT)
const name = optional(z.string().max(MAX_NAME_CHARS))

const ToolCall = z.object({
  id: z.string(),
  type: z.literal('function').default('function'),
  function: z.object({ name: z.string().max(MAX_NAME_CHARS), arguments: z.string() }),
})
const toolCalls = optional(z.array(ToolCall).max(MAX_TOOLS))
const reasoning = optional(z.string())
const ReasoningDetail = z.looseObject({
  type: z.string(),
  data: optional(z.string()),
  format: optional(z.string()),
  id: optional(z.string()),
  index: optional(z.number()),
  text: optional(z.string()),
})

const Message = z.discriminatedUnion('role', [
  z.object({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(UserPart).min(1).max(MAX_PARTS)], CONTENT),
    name,
  }),
  z.object({ role: z.literal('system'), content: text, name }),
  z.object({ role: z.literal('developer'), content: text, name }),
  z.object({
    role: z.literal('assistant'),
    content: optional(text),
    tool_calls: toolCalls,
    reasoning_content: reasoning,
    reasoning_details: optional(z.array(ReasoningDetail).max(MAX_PARTS)),
    // What some vendors want back to go on with a thought.
    thought_signature: optional(z.string()),
    name,
  }),
  z.object({
    role: z.literal('tool'),
    content: text,
    tool_call_id: z.string(),
    name,
    reasoning_content: reasoning,
    tool_calls: toolCalls,
  }),
])

const JsonSchema = z.record(z.string(), z.unknown())

const Tool = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('function'),
    function: z.object({
      name: z.string().min(1).max(MAX_NAME_CHARS),
      description: optional(z.string()),
      parameters: optional(JsonSchema),
      strict: optional(z.boolean()),
    }),
    id: optional(z.string()),
  }),
  // Taken, and without effect: they do not switch on the service's own search (contract, chat.md 5).
  z.object({ type: z.enum(['web_search', 'x_search']) }),
])

const ToolChoice = z.union(
  [
    z.enum(['auto', 'none', 'required']),
    z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
  ],
  'must be auto, none, required, or {"type":"function","function":{"name":…}}',
)

const ResponseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({ type: z.literal('json_schema'), json_schema: JsonSchema }),
])

const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export const Effort = z.enum(REASONING_EFFORTS)
export const Verbosity = z.enum(['low', 'medium', 'high', 'auto'])

/** `service_parameters` of a request. Unknown keys are dropped; the suffix of a model name may override any of them. */
export const ServiceParameters = z.object({
  character_slug: optional(z.string().min(1, 'names no character; GET /characters lists them').max(MAX_NAME_CHARS)),
  strip_thinking_response: optional(z.boolean()),
  disable_thinking: optional(z.boolean()),
  enable_web_search: optional(
    z.union(
      [z.enum(['off', 'on', 'auto']), z.boolean().transform((isOn) => (isOn ? ('on' as const) : ('off' as const)))],
      'must be off, on, auto, true or false',
    ),
  ),
  enable_web_scraping: optional(z.boolean()),
  enable_x_search: optional(z.boolean()),
  enable_web_citations: optional(z.boolean()),
  include_search_results_in_stream: optional(z.boolean()),
  return_search_results_as_documents: optional(z.boolean()),
  include_service_system_prompt: optional(z.boolean()),
  enable_e2ee: optional(z.boolean()),
})
export type ServiceParameters = z.output<typeof ServiceParameters>

const known = {
  messages: z.array(Message).min(1).max(MAX_MESSAGES),
  model: z.string().min(1, 'name a model; GET /models lists them'),
  stream: optional(z.boolean()),
  stream_options: optional(z.object({ include_usage: optional(z.boolean()) })),
  frequency_penalty: optional(z.number().min(-2).max(2)),
  presence_penalty: optional(z.number().min(-2).max(2)),
  repetition_penalty: optional(z.number().min(0)),
  temperature: optional(z.number().min(0).max(2)),
  top_p: optional(z.number().min(0).max(1)),
  top_k: optional(z.int().min(0)),
  min_p: optional(z.number().min(0).max(1)),
  min_temp: optional(z.number().min(0).max(2)),
  max_temp: optional(z.number().min(0).max(2)),
  max_completion_tokens: optional(z.int().min(1)),
  max_tokens: optional(z.int()),
  n: optional(z.int().min(1).max(MAX_CHOICES)),
  seed: optional(z.int().min(1)),
  stop: optional(
    z.union(
      [z.string(), z.array(z.string()).min(1).max(MAX_STOP)],
      `must be text, or a list of 1 to ${MAX_STOP} texts`,
    ),
  ),
  stop_token_ids: optional(z.array(z.number()).max(MAX_PARTS)),
  logprobs: optional(z.boolean()),
  top_logprobs: optional(
    z
      .int()
      .min(0)
      .transform((count) => Math.min(count, MAX_TOP_LOGPROBS)),
  ),
  prompt_logprobs: optional(
    z
      .int()
      .min(0)
      .transform((count) => Math.min(count, MAX_TOP_LOGPROBS)),
  ),
  tools: optional(z.array(Tool).max(MAX_TOOLS)),
  tool_choice: optional(ToolChoice),
  parallel_tool_calls: optional(z.boolean()),
  response_format: optional(ResponseFormat),
  reasoning_effort: optional(Effort),
  reasoning: optional(
    z.object({
      effort: optional(Effort),
      summary: optional(z.enum(['auto', 'concise', 'detailed'])),
      enabled: optional(z.boolean()),
    }),
  ),
  verbosity: optional(Verbosity),
  text: optional(z.object({ verbosity: optional(Verbosity) })),
  prompt_cache_key: optional(z.string().max(1024)),
  prompt_cache_retention: optional(z.enum(['default', 'extended', '24h'])),
  service_parameters: optional(ServiceParameters),
  // Taken and without effect; named so that they are checked, and never reach a backend.
  user: optional(z.string()),
  store: optional(z.boolean()),
  metadata: optional(z.record(z.string(), z.string())),
  include: optional(z.array(z.string())),
  fallbacks: optional(z.array(z.looseObject({ model: z.string() })).max(10)),
}

/** The body of POST /chat/completions. Fields outside the interface pass through unchecked (contract, chat.md 1). */
export const ChatCompletionRequest = z.looseObject(known).superRefine((body, context) => {
  if (body.min_temp !== undefined && body.max_temp !== undefined && body.min_temp > body.max_temp) {
    context.addIssue({ code: 'custom', path: ['min_temp'], message: 'must not be above max_temp' })
  }
})
export type ChatCompletionRequest = z.output<typeof ChatCompletionRequest>

/** The names that the interface knows; what else a body holds may be passed on to an engine. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(known))

/** A source that an answer may cite as `[REF]n[/REF]`; n is its place in the list, from 0. */
export type Citation = { title: string; url: string; content?: string; date?: string }

/** How the web step of a request ended; `not_needed` where `auto` decided against it. */
export const WEB_SEARCH_STATUSES = ['found', 'nothing_found', 'failed', 'not_needed'] as const
export type WebSearchStatus = (typeof WEB_SEARCH_STATUSES)[number]

/** `service_parameters` of a reply: the options that took effect. */
export type ServiceParametersEcho = {
  character_slug?: string
  enable_e2ee: boolean
  enable_web_citations: boolean
  enable_web_scraping: boolean
  enable_web_search: 'auto' | 'off' | 'on'
  include_service_system_prompt: boolean
  include_search_results_in_stream: boolean
  return_search_results_as_documents: boolean
  strip_thinking_response: boolean
  disable_thinking: boolean
  web_search_citations: Citation[]
  /** Models that read for the chosen one what it cannot read by itself, each charged at its own price. */
  assists?: { type: 'image_url' | 'input_audio' | 'video_url'; model: string; cost_usd: number }[]
}

/** `usage` of a reply. */
export type UsageBody = {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details: { cached_tokens: number; cache_creation_input_tokens: number }
  completion_tokens_details: { reasoning_tokens: number }
}

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
const ToolCallReply = z.object({
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
        tool_calls: z.array(ToolCallReply).optional(),
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
