import { z } from 'zod'
import { WEB_SEARCH_STATUSES } from '@/lib/contract/headers'
import {
  MAX_AUDIO_SECONDS,
  MAX_FILE_BYTES,
  MAX_PAGES_READ,
  MAX_PER_MESSAGE,
  MAX_VIDEO_SECONDS,
  MAX_VIDEOS_PER_REQUEST,
} from '@/lib/contract/limits'

// Source of `MAX_CHOICES` and `MAX_STOP`: API contract, chat.md; the other bounds are our own.
const MAX_MESSAGES = 2000
const MAX_PARTS = 4000
const MAX_TOOLS = 256
const MAX_NAME_CHARS = 256
const MAX_CHOICES = 10
const MAX_STOP = 4
const MAX_TOP_LOGPROBS = 20
const MEGABYTES = MAX_FILE_BYTES / 1e6

/** Accepts `null` as absent, on the chat-style endpoints only. Source: API contract, README 3. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => (value === null ? undefined : value))

const CacheControl = z.object({
  type: z.literal('ephemeral'),
  ttl: optional(z.string()).describe('Lifetime of the cached prefix.'),
})
const part = {
  cache_control: optional(CacheControl).describe(
    'Marks the end of the cached prefix of the prompt, for models that require a marker.',
  ),
}

const TextPart = z.object({
  type: z.literal('text'),
  text: z.string().min(1).describe('Text of the part.'),
  ...part,
})
const ImagePart = z.object({
  type: z.literal('image_url'),
  image_url: z
    .object({
      url: z.string().min(1).describe(`Data URL or public URL, up to ${MEGABYTES} MB.`),
    })
    .describe(`Image in PNG, JPEG, WebP, GIF, AVIF or HEIC format. Up to ${MAX_PER_MESSAGE.images} per message.`),
  ...part,
})
export const AudioFormat = z.enum(['wav', 'mp3', 'aiff', 'aac', 'ogg', 'flac', 'm4a', 'pcm16', 'pcm24'])
const AudioPart = z.object({
  type: z.literal('input_audio'),
  input_audio: z
    .object({
      data: z.string().min(1).describe('Base64-encoded audio. URLs are not supported.'),
      format: AudioFormat.default('wav').describe('Format of the audio. `pcm16` and `pcm24` are raw, 24 kHz, mono.'),
    })
    .describe(`Audio of up to ${MAX_AUDIO_SECONDS / 60} minutes. Up to ${MAX_PER_MESSAGE.audio} per message.`),
  ...part,
})
const VideoPart = z.object({
  type: z.literal('video_url'),
  video_url: z
    .object({ url: z.string().min(1).describe('Data URL or public URL.') })
    .describe(
      `Video of up to ${MAX_VIDEO_SECONDS / 60} minutes in MP4, MPEG, MOV or WebM format. Up to ${MAX_VIDEOS_PER_REQUEST} per request.`,
    ),
  ...part,
})
const FilePart = z.object({
  type: z.literal('file'),
  file: z
    .object({
      file_data: z.string().min(1).describe(`Data URL or public URL, up to ${MEGABYTES} MB.`),
      filename: optional(z.string()).describe('File name, passed to the model.'),
    })
    .describe(`Document, converted to text for the model. Up to ${MAX_PER_MESSAGE.documents} per message.`),
  ...part,
})

const UserPart = z.discriminatedUnion('type', [TextPart, ImagePart, AudioPart, VideoPart, FilePart])
const CONTENT = `must be text, or a list of 1 to ${MAX_PARTS} parts`
const CONTENT_HELP =
  'Text, or a list of parts: text, images, audio, video, files. Roles other than `user` accept text only.'
const text = z.union([z.string(), z.array(TextPart).min(1).max(MAX_PARTS)], CONTENT)
const content = text.describe(CONTENT_HELP)
const name = optional(z.string().max(MAX_NAME_CHARS)).describe(
  'Name of the participant, to tell apart several with the same role.',
)

const callId = z.string().describe('ID of the call. Use it as `tool_call_id` of the result.')
const callArguments = z.string().describe('Arguments as a JSON string. A model can write invalid JSON.')
const ToolCall = z.object({
  id: callId,
  type: z.literal('function').default('function'),
  function: z
    .object({
      name: z.string().max(MAX_NAME_CHARS).describe('Name of the function.'),
      arguments: callArguments,
    })
    .describe('Function to call.'),
})
const tool_calls = optional(z.array(ToolCall).max(MAX_TOOLS)).describe('Tool calls requested by the model, unchanged.')
const reasoning_content = optional(z.string()).describe('Reasoning of an earlier answer.')
const ReasoningDetail = z.looseObject({
  type: z.string().describe('Type of the reasoning item.'),
  data: optional(z.string()).describe('Data of the reasoning item, as sent by the model.'),
  format: optional(z.string()).describe('Format of the reasoning item.'),
  id: optional(z.string()).describe('ID of the reasoning item.'),
  index: optional(z.number()).describe('Index of the reasoning item.'),
  text: optional(z.string()).describe('Text of the reasoning item.'),
})

const Message = z.discriminatedUnion('role', [
  z.object({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(UserPart).min(1).max(MAX_PARTS)], CONTENT).describe(CONTENT_HELP),
    name,
  }),
  z.object({
    role: z.literal('system'),
    content,
    name,
  }),
  z.object({
    role: z.literal('developer'),
    content,
    name,
  }),
  z.object({
    role: z.literal('assistant'),
    content: optional(text).describe(CONTENT_HELP),
    tool_calls,
    reasoning_content,
    reasoning_details: optional(z.array(ReasoningDetail).max(MAX_PARTS)).describe(
      'Structured reasoning of an earlier answer, for models that require it unchanged.',
    ),
    // What some vendors want back to go on with a thought.
    thought_signature: optional(z.string()).describe('Signature of the reasoning, passed through unchanged.'),
    name,
  }),
  z.object({
    role: z.literal('tool'),
    content,
    tool_call_id: z.string().describe('ID of the tool call that this result belongs to.'),
    name,
    reasoning_content,
    tool_calls,
  }),
])

const JsonSchema = z.record(z.string(), z.unknown())

export const functionFields = {
  name: z.string().min(1).max(MAX_NAME_CHARS).describe('Name of the function.'),
  description: optional(z.string()).describe('Purpose of the function and when to call it.'),
  parameters: optional(JsonSchema).describe('Parameters of the function, as JSON Schema.'),
  strict: optional(z.boolean()).describe('`true` requires the arguments to match the schema.'),
}
const Tool = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('function'),
    function: z.object(functionFields).describe('Function that the model can call.'),
    id: optional(z.string()).describe('Accepted and ignored.'),
  }),
  // Taken, and without effect: they do not switch on the service's own search (contract, chat.md 5).
  z.object({ type: z.enum(['web_search', 'x_search']).describe('Type of the tool.') }),
])

export const FunctionChoice = z.object({
  type: z.literal('function'),
  function: z
    .object({ name: z.string().describe('Name of the function.') })
    .describe('Function that the model must call.'),
})
const ToolChoice = z.union(
  [z.enum(['auto', 'none', 'required']), FunctionChoice],
  'must be auto, none, required, or {"type":"function","function":{"name":…}}',
)

const ResponseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: JsonSchema.describe('JSON Schema of the answer, with `name` and `strict`.'),
  }),
])

export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
const Effort = z.enum(REASONING_EFFORTS)
export const Verbosity = z.enum(['low', 'medium', 'high', 'auto'])
const Reasoning = optional(
  z.object({
    effort: optional(Effort).describe('Reasoning effort, on models that support it.'),
    summary: optional(z.enum(['auto', 'concise', 'detailed'])).describe(
      'Detail of the reasoning summary, on models that support it.',
    ),
    enabled: optional(z.boolean()).describe('`false` disables reasoning.'),
  }),
).describe('Reasoning settings.')

export const ServiceParameters = z.object({
  character_slug: optional(
    z.string().min(1, 'must not be empty; GET /characters lists the slugs').max(MAX_NAME_CHARS),
  ).describe(
    'Slug of a character, whose prompt is placed before your system messages: [List characters](/docs/reference/characters/list-characters).',
  ),
  strip_thinking_response: optional(z.boolean()).describe('Removes reasoning from the answer.'),
  disable_thinking: optional(z.boolean()).describe('Disables reasoning, on models that can answer without it.'),
  enable_web_search: optional(
    z.union(
      [z.enum(['off', 'on', 'auto']), z.boolean().transform((isOn) => (isOn ? ('on' as const) : ('off' as const)))],
      'must be off, on, auto, true or false',
    ),
  ).describe('Searches the web for the last question. `auto` lets the model decide.'),
  enable_web_scraping: optional(z.boolean()).describe(
    `Reads up to ${MAX_PAGES_READ} URLs in the last user message instead of searching.`,
  ),
  enable_x_search: optional(z.boolean()).describe(
    "Uses the model vendor's own search of the web and X, on models that support it. If the vendor rejects the search, the service searches instead.",
  ),
  enable_web_citations: optional(z.boolean()).describe(
    'Requests citations as `[REF]n[/REF]` after statements from a source.',
  ),
  include_search_results_in_stream: optional(z.boolean()).describe(
    'Sends the list of sources as the first chunk of a stream.',
  ),
  return_search_results_as_documents: optional(z.boolean()).describe(
    'Adds a `service_web_search_documents` tool call with the sources.',
  ),
  include_service_system_prompt: optional(z.boolean()).describe(
    '`false` sends only your messages to the model, without the system prompt of the service.',
  ),
  enable_e2ee: optional(z.boolean()).describe('Accepted; has no effect on the models of this service.'),
})
export type ServiceParameters = z.output<typeof ServiceParameters>

const alternatives = z
  .int()
  .min(0)
  .transform((count) => Math.min(count, MAX_TOP_LOGPROBS))
const MODEL =
  'Model ID from `GET /models`, a trait such as `default`, or a name that is mapped to a model. Options can be appended: `default:enable_web_search=on`.'

/** Fields of the body of `POST /chat/completions`; `POST /responses` has some of them, too. */
export const chatFields = {
  messages: z.array(Message).min(1).max(MAX_MESSAGES).describe('Messages of the conversation, oldest first.'),
  model: z.string().min(1, 'must not be empty; GET /models lists the models').describe(MODEL),
  stream: optional(z.boolean()).describe('Streams the answer as it is generated: [streaming](/docs/guides/streaming).'),
  stream_options: optional(
    z.object({
      include_usage: optional(z.boolean()).describe('`false` omits the last chunk with `usage` and `cost`.'),
    }),
  ).describe('Options of the stream.'),
  frequency_penalty: optional(z.number().min(-2).max(2)).describe(
    'Values above 0 reduce the likelihood of frequently used tokens.',
  ),
  presence_penalty: optional(z.number().min(-2).max(2)).describe(
    'Values above 0 reduce the likelihood of tokens already used.',
  ),
  repetition_penalty: optional(z.number().min(0)).describe('Values above 1 reduce repetition.'),
  temperature: optional(z.number().min(0).max(2)).describe(
    'Sampling temperature: 0 always selects the most likely token.',
  ),
  top_p: optional(z.number().min(0).max(1)).describe(
    'Nucleus sampling: considers only the most likely tokens with this total probability.',
  ),
  top_k: optional(z.int().min(0)).describe('Number of most likely tokens to consider.'),
  min_p: optional(z.number().min(0).max(1)).describe(
    'Minimum probability of a token, relative to the most likely token.',
  ),
  min_temp: optional(z.number().min(0).max(2)).describe('Minimum temperature, on models with dynamic temperature.'),
  max_temp: optional(z.number().min(0).max(2)).describe('Maximum temperature, on models with dynamic temperature.'),
  max_completion_tokens: optional(z.int().min(1)).describe('Maximum number of tokens to generate, reasoning included.'),
  max_tokens: optional(z.int()).describe('Legacy name of `max_completion_tokens`.'),
  n: optional(z.int().min(1).max(MAX_CHOICES)).describe('Number of answers to generate. Each one is charged.'),
  seed: optional(z.int().min(1)).describe(
    'Seed for reproducible results with the same request and model, if the model supports it.',
  ),
  stop: optional(
    z.union(
      [z.string(), z.array(z.string()).min(1).max(MAX_STOP)],
      `must be text, or a list of 1 to ${MAX_STOP} texts`,
    ),
  ).describe('Text at which generation stops. Not included in the answer.'),
  stop_token_ids: optional(z.array(z.number()).max(MAX_PARTS)).describe(
    'Token IDs at which generation stops. Not included in the answer.',
  ),
  logprobs: optional(z.boolean()).describe('Returns the log probability of each token, on models that support it.'),
  top_logprobs: optional(alternatives).describe(
    `Number of alternatives to return for each token, up to ${MAX_TOP_LOGPROBS}.`,
  ),
  prompt_logprobs: optional(alternatives).describe(
    `Number of alternatives (up to ${MAX_TOP_LOGPROBS}) to return with the log probability of each prompt token, on servers that report it. Has no effect with \`stream\`.`,
  ),
  tools: optional(z.array(Tool).max(MAX_TOOLS)).describe(
    'Tools that the model can call. `web_search` and `x_search` correspond to fields of `service_parameters`.',
  ),
  tool_choice: optional(ToolChoice).describe('Tool use: allowed, required, forbidden, or a specific function.'),
  parallel_tool_calls: optional(z.boolean()).describe('Allows the model to call several tools at once.'),
  response_format: optional(ResponseFormat).describe(
    'Format of the answer: text, any JSON, or JSON that matches a schema.',
  ),
  reasoning_effort: optional(Effort).describe('Reasoning effort, on models that support it.'),
  reasoning: Reasoning,
  verbosity: optional(Verbosity).describe('Length of the answer, on models that support it.'),
  text: optional(z.object({ verbosity: optional(Verbosity).describe('Same as `verbosity`.') })).describe(
    'Text settings.',
  ),
  prompt_cache_key: optional(z.string().max(1024)).describe(
    'Key that routes related requests to the same prompt cache.',
  ),
  prompt_cache_retention: optional(z.enum(['default', 'extended', '24h'])).describe(
    'Retention of the cached prefix, on models that support it.',
  ),
  service_parameters: optional(ServiceParameters).describe(
    'Parameters specific to this service: web search, characters, reasoning.',
  ),
  // Taken and without effect; named so that they are checked, and never reach a backend.
  user: optional(z.string()).describe('Your identifier of the end user. Accepted and ignored.'),
  store: optional(z.boolean()).describe('Accepted; nothing is stored.'),
  metadata: optional(z.record(z.string(), z.string())).describe('Accepted and ignored.'),
  include: optional(z.array(z.string())).describe('Accepted and ignored.'),
  fallbacks: optional(
    z
      .array(
        z.looseObject({
          model: z.string().describe(MODEL),
        }),
      )
      .max(10),
  ).describe('Accepted and ignored: the operator configures fallback models.'),
}

/** Body of `POST /chat/completions`. Unknown fields pass unchecked. Source: API contract, chat.md 1. */
export const ChatCompletionRequest = z
  .looseObject(chatFields)
  .refine(({ min_temp, max_temp }) => min_temp === undefined || max_temp === undefined || min_temp <= max_temp, {
    path: ['min_temp'],
    message: 'must not exceed max_temp',
  })
export type ChatCompletionRequest = z.output<typeof ChatCompletionRequest>

export const KNOWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(chatFields))

const count = z.int().min(0)

export const Citation = z.object({
  title: z.string().describe('Title of the page.'),
  url: z.string().describe('URL of the page.'),
  content: z.string().optional().describe('Excerpt from the page.'),
  date: z.string().optional().describe('Publication date, if known.'),
})
export type Citation = z.output<typeof Citation>

const echo = <Schema extends z.ZodType>(name: keyof typeof ServiceParameters.shape, schema: Schema) =>
  schema.describe(ServiceParameters.shape[name].description ?? '')

export const ServiceParametersEcho = z.object({
  character_slug: echo('character_slug', z.string().optional()),
  enable_e2ee: echo('enable_e2ee', z.boolean()),
  enable_web_citations: echo('enable_web_citations', z.boolean()),
  enable_web_scraping: echo('enable_web_scraping', z.boolean()),
  enable_web_search: echo('enable_web_search', z.enum(['auto', 'off', 'on'])),
  include_service_system_prompt: echo('include_service_system_prompt', z.boolean()),
  include_search_results_in_stream: echo('include_search_results_in_stream', z.boolean()),
  return_search_results_as_documents: echo('return_search_results_as_documents', z.boolean()),
  strip_thinking_response: echo('strip_thinking_response', z.boolean()),
  disable_thinking: echo('disable_thinking', z.boolean()),
  web_search_citations: z
    .array(Citation)
    .describe('Sources passed to the model. The number in `[REF]n[/REF]` is an index of this list, from 0.'),
  assists: z
    .array(
      z.object({
        type: z.enum(['image_url', 'input_audio', 'video_url']).describe('Type of the part that was processed.'),
        model: z.string().describe('ID of the model used.'),
        cost_usd: z.number().describe('Cost of the processing in US dollars, included in the cost of the answer.'),
      }),
    )
    .optional()
    .describe('Models that processed images or audio on behalf of this model.'),
})
export type ServiceParametersEcho = z.output<typeof ServiceParametersEcho>

export const web_search_status = z
  .enum(WEB_SEARCH_STATUSES)
  .optional()
  .describe(
    'Outcome of web access: sources found, nothing found, failed, or not needed if `auto` decided against it. Missing if the request did not ask for it.',
  )

export const Cost = z.object({
  diem: z.number().min(0).describe('Cost in DIEM, the daily credit from staked tokens.'),
  usd: z.number().min(0).describe('Cost in US dollars, bundled credits included.'),
})

const Usage = z.object({
  prompt_tokens: count.describe('Number of tokens in the prompt.'),
  completion_tokens: count.describe('Number of generated tokens, reasoning included.'),
  total_tokens: count.describe('Total number of tokens.'),
  prompt_tokens_details: z
    .object({
      cached_tokens: count.describe("Tokens read from the backend's cache."),
      cache_creation_input_tokens: count.describe("Tokens written to the backend's cache."),
    })
    .describe('Prompt tokens with a different price.'),
  completion_tokens_details: z
    .object({ reasoning_tokens: count.describe('Number of reasoning tokens.') })
    .describe('Breakdown of the generated tokens.'),
})
export type UsageBody = z.output<typeof Usage>

const token = {
  token: z.string().describe('Text of the token.'),
  logprob: z.number().describe('Log probability of the token.'),
  bytes: z.array(z.int()).nullish().describe('UTF-8 bytes of the token.'),
}
const Logprob = z.looseObject({
  ...token,
  top_logprobs: z.array(z.looseObject(token)).optional().describe('Most likely tokens at this position.'),
})
const logprobs = Logprob.extend({
  content: z.array(Logprob).describe('All tokens of the answer.'),
})
  .nullable()
  .describe('Log probabilities, if requested: the first token, and all tokens in `content`.')

const FINISH_REASON = 'Reason the answer ended: complete, cut off at the maximum length, or waiting for tool calls.'
const finish_reason = z.enum(['stop', 'length', 'tool_calls'])
const ToolCallReply = z.object({
  id: callId,
  type: z.literal('function'),
  function: z
    .object({
      name: z.string().describe('Name of the function.'),
      arguments: callArguments,
    })
    .describe('Function to call.'),
})
const reasoning_details = z
  .array(z.record(z.string(), z.unknown()))
  .optional()
  .describe('Structured reasoning, to send back to the model unchanged.')

// Source: API contract, chat.md 8.
export const ChatCompletion = z.object({
  id: z.string().describe('ID of the completion, also used in the ledger.'),
  object: z.literal('chat.completion'),
  created: z.int().describe('Creation time in Unix seconds.'),
  model: z.string().describe('ID of the model used.'),
  choices: z
    .array(
      z.object({
        index: count.describe('Index of the answer, from 0.'),
        finish_reason: finish_reason.describe(FINISH_REASON),
        stop_reason: z.enum(['stop', 'length']).describe('Reason the answer ended, without tool calls.'),
        logprobs,
        message: z
          .object({
            role: z.literal('assistant'),
            content: z.string().nullable().describe('Text of the answer; `null` if it contains only tool calls.'),
            reasoning_content: z.string().nullable().describe('Reasoning, if the model returns it.'),
            reasoning_details,
            tool_calls: z.array(ToolCallReply).optional().describe('Tool calls requested by the model.'),
          })
          .describe('Message of the answer.'),
      }),
    )
    .describe('Answers, `n` in total. Empty in the last chunk of a stream.'),
  usage: Usage.describe('Token usage.'),
  prompt_logprobs: z
    .array(z.unknown())
    .nullish()
    .describe(
      'Log probabilities of the prompt, if `prompt_logprobs` was requested: one entry per token, as sent by the model server; `null` if the server reports none.',
    ),
  cost: Cost.optional().describe('Amount charged. Missing if nothing was charged.'),
  service_parameters: ServiceParametersEcho.describe('Parameters in effect, and the web sources.'),
})
export type ChatCompletion = z.output<typeof ChatCompletion>

const ToolCallDelta = z.object({
  index: count.describe('Index of the tool call that the fragment belongs to.'),
  id: callId.optional(),
  type: z.literal('function').optional(),
  function: z
    .object({
      name: z.string().optional().describe('Name of the function.'),
      arguments: callArguments,
    })
    .describe('Function to call.'),
})

const Chunk = z.object({
  id: z.string().describe('ID of the completion, also used in the ledger.'),
  object: z.literal('chat.completion.chunk'),
  created: z.int().describe('Creation time in Unix seconds.'),
  model: z.string().describe('ID of the model used.'),
  choices: z
    .array(
      z.object({
        index: count.describe('Index of the answer, from 0.'),
        delta: z
          .object({
            role: z.literal('assistant').optional(),
            content: z.string().optional().describe('Next fragment of the text.'),
            reasoning_content: z.string().optional().describe('Next fragment of the reasoning.'),
            reasoning_details,
            tool_calls: z.array(ToolCallDelta).optional().describe('Fragments of tool calls.'),
          })
          .describe('Changes since the previous chunk.'),
        finish_reason: finish_reason.nullable().describe(FINISH_REASON),
        logprobs,
      }),
    )
    .describe('Answers, `n` in total. Empty in the last chunk of a stream.'),
  usage: Usage.optional().describe('Token usage.'),
  cost: Cost.optional().describe('Amount charged. Missing if nothing was charged.'),
  service_parameters: ServiceParametersEcho.partial()
    .extend({
      web_search_status,
    })
    .optional()
    .describe('Parameters in effect, and the web sources.'),
})

const StreamError = z.object({
  error: z
    .object({
      message: z.string().describe('Human-readable message: the problem and how to fix it.'),
      type: z.enum(['server_error', 'invalid_request_error', 'api_error']).describe('Type of the error.'),
      code: z.string().describe('Machine-readable code.'),
      param: z.null().describe('Always `null`.'),
      retry_after: z.number().optional().describe('Seconds to wait before a retry.'),
    })
    .describe('Error that ended the stream.'),
})

export const ChatCompletionEvent = z.union([Chunk, StreamError])

export type ChatChunk = z.output<typeof Chunk>
export type StreamError = z.output<typeof StreamError>
