import { z } from 'zod'
import { WEB_SEARCH_STATUSES } from '@/lib/contract/chat'
import {
  MAX_AUDIO_SECONDS,
  MAX_FILE_BYTES,
  MAX_PAGES_READ,
  MAX_PER_MESSAGE,
  MAX_VIDEO_SECONDS,
  MAX_VIDEOS_PER_REQUEST,
} from '@/lib/contract/limits'

/** Bounds of one request. Source: API contract, chat.md, for `n` and stop sequences; the rest is ours. */
const MAX_MESSAGES = 2000
const MAX_PARTS = 4000
const MAX_TOOLS = 256
const MAX_NAME_CHARS = 256
const MAX_CHOICES = 10
const MAX_STOP = 4
const MAX_TOP_LOGPROBS = 20
const MEGABYTES = MAX_FILE_BYTES / 1e6

/** `null` means absent on the chat-style endpoints (API contract, README 3). */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => (value === null ? undefined : value))

const CacheControl = z.object({
  type: z.literal('ephemeral'),
  ttl: optional(z.string()).meta({ description: 'How long it is kept.' }),
})
const part = {
  cache_control: optional(CacheControl).meta({
    description: 'Marks where the cached beginning of a prompt ends, for models that want to be told.',
  }),
}

const TextPart = z.object({
  type: z.literal('text'),
  text: z.string().min(1).meta({ description: 'The words.' }),
  ...part,
})
const ImagePart = z.object({
  type: z.literal('image_url'),
  image_url: z
    .object({
      url: z
        .string()
        .min(1)
        .meta({ description: `A data URL or a public address, up to ${MEGABYTES} MB.` }),
    })
    .meta({ description: `An image: PNG, JPEG, WebP, GIF, AVIF or HEIC, ${MAX_PER_MESSAGE.images} a message.` }),
  ...part,
})
export const AudioFormat = z.enum(['wav', 'mp3', 'aiff', 'aac', 'ogg', 'flac', 'm4a', 'pcm16', 'pcm24'])
const AudioPart = z.object({
  type: z.literal('input_audio'),
  input_audio: z
    .object({
      data: z.string().min(1).meta({ description: 'Base64, never an address.' }),
      format: AudioFormat.default('wav').meta({
        description: 'What it is; `pcm16` and `pcm24` are raw, 24 kHz, one channel.',
      }),
    })
    .meta({ description: `Audio of up to ${MAX_AUDIO_SECONDS / 60} minutes, ${MAX_PER_MESSAGE.audio} a message.` }),
  ...part,
})
const VideoPart = z.object({
  type: z.literal('video_url'),
  video_url: z.object({ url: z.string().min(1).meta({ description: 'A data URL or a public address.' }) }).meta({
    description: `A video of up to ${MAX_VIDEO_SECONDS / 60} minutes: MP4, MPEG, MOV or WebM, ${MAX_VIDEOS_PER_REQUEST} a request.`,
  }),
  ...part,
})
const FilePart = z.object({
  type: z.literal('file'),
  file: z
    .object({
      file_data: z
        .string()
        .min(1)
        .meta({ description: `A data URL or a public address, up to ${MEGABYTES} MB.` }),
      filename: optional(z.string()).meta({ description: 'Its name, which the model is told.' }),
    })
    .meta({
      description: `A document, which becomes text before the model reads it. ${MAX_PER_MESSAGE.documents} a message.`,
    }),
  ...part,
})

const UserPart = z.discriminatedUnion('type', [TextPart, ImagePart, AudioPart, VideoPart, FilePart])
const CONTENT = `must be text, or a list of 1 to ${MAX_PARTS} parts`
const text = z.union([z.string(), z.array(TextPart).min(1).max(MAX_PARTS)], CONTENT)
const name = optional(z.string().max(MAX_NAME_CHARS))

const ToolCall = z.object({
  id: z.string().meta({ description: 'Name it in the message that answers it.' }),
  type: z.literal('function').default('function'),
  function: z
    .object({
      name: z.string().max(MAX_NAME_CHARS).meta({ description: 'The name of the function.' }),
      arguments: z.string().meta({ description: 'Its arguments, as text of JSON. A model may write wrong JSON.' }),
    })
    .meta({ description: 'What to call.' }),
})
const toolCalls = optional(z.array(ToolCall).max(MAX_TOOLS))
const reasoning = optional(z.string())
const ReasoningDetail = z.looseObject({
  type: z.string().meta({ description: 'The kind of thought.' }),
  data: optional(z.string()).meta({ description: 'What the model sent.' }),
  format: optional(z.string()).meta({ description: 'The form that it has.' }),
  id: optional(z.string()).meta({ description: 'The thought.' }),
  index: optional(z.number()).meta({ description: 'Its place.' }),
  text: optional(z.string()).meta({ description: 'Its words.' }),
})

const Message = z.discriminatedUnion('role', [
  z.object({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(UserPart).min(1).max(MAX_PARTS)], CONTENT).meta({
      description:
        'Words, or parts: words, pictures, recordings, films, files. Other roles than `user` have words only.',
    }),
    name: name.meta({ description: 'The name of who says it, where several share a role.' }),
  }),
  z.object({
    role: z.literal('system'),
    content: text.meta({
      description:
        'Words, or parts: words, pictures, recordings, films, files. Other roles than `user` have words only.',
    }),
    name: name.meta({ description: 'The name of who says it, where several share a role.' }),
  }),
  z.object({
    role: z.literal('developer'),
    content: text.meta({
      description:
        'Words, or parts: words, pictures, recordings, films, files. Other roles than `user` have words only.',
    }),
    name: name.meta({ description: 'The name of who says it, where several share a role.' }),
  }),
  z.object({
    role: z.literal('assistant'),
    content: optional(text).meta({
      description:
        'Words, or parts: words, pictures, recordings, films, files. Other roles than `user` have words only.',
    }),
    tool_calls: toolCalls.meta({ description: 'The calls that the model asked for, as they came.' }),
    reasoning_content: reasoning.meta({ description: 'Thoughts of an earlier answer.' }),
    reasoning_details: optional(z.array(ReasoningDetail).max(MAX_PARTS)).meta({
      description: 'Thoughts as the model gave them, for models that want them back unchanged.',
    }),
    // What some vendors want back to go on with a thought.
    thought_signature: optional(z.string()).meta({ description: 'A signature of thoughts, passed on as it came.' }),
    name: name.meta({ description: 'The name of who says it, where several share a role.' }),
  }),
  z.object({
    role: z.literal('tool'),
    content: text.meta({
      description:
        'Words, or parts: words, pictures, recordings, films, files. Other roles than `user` have words only.',
    }),
    tool_call_id: z.string().meta({ description: 'The call whose result this is.' }),
    name: name.meta({ description: 'The name of who says it, where several share a role.' }),
    reasoning_content: reasoning.meta({ description: 'Thoughts of an earlier answer.' }),
    tool_calls: toolCalls.meta({ description: 'The calls that the model asked for, as they came.' }),
  }),
])

const JsonSchema = z.record(z.string(), z.unknown())

const Tool = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('function'),
    function: z
      .object({
        name: z.string().min(1).max(MAX_NAME_CHARS).meta({ description: 'Its name.' }),
        description: optional(z.string()).meta({ description: 'What it does and when to call it.' }),
        parameters: optional(JsonSchema).meta({ description: 'Its arguments, as JSON Schema.' }),
        strict: optional(z.boolean()).meta({ description: 'Whether the arguments have to fit the schema.' }),
      })
      .meta({ description: 'A function that the model may ask you to call.' }),
    id: optional(z.string()).meta({ description: 'Taken, and goes no further.' }),
  }),
  // Taken, and without effect: they do not switch on the service's own search (contract, chat.md 5).
  z.object({ type: z.enum(['web_search', 'x_search']).meta({ description: 'The kind of tool.' }) }),
])

const ToolChoice = z.union(
  [
    z.enum(['auto', 'none', 'required']),
    z.object({
      type: z.literal('function'),
      function: z
        .object({ name: z.string().meta({ description: 'Its name.' }) })
        .meta({ description: 'The tool that has to be called.' }),
    }),
  ],
  'must be auto, none, required, or {"type":"function","function":{"name":…}}',
)

const ResponseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: JsonSchema.meta({ description: 'The schema, with `name` and `strict`.' }),
  }),
])

const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export const Effort = z.enum(REASONING_EFFORTS)
export const Verbosity = z.enum(['low', 'medium', 'high', 'auto'])

/** `service_parameters` of a request. Unknown keys are dropped; the suffix of a model name may override any of them. */
export const ServiceParameters = z.object({
  character_slug: optional(
    z.string().min(1, 'names no character; GET /characters lists them').max(MAX_NAME_CHARS),
  ).meta({
    description:
      'Puts the prompt of a character before your own system messages: [List characters](/docs/reference/characters/list-characters).',
  }),
  strip_thinking_response: optional(z.boolean()).meta({ description: 'Leaves thoughts out of the answer.' }),
  disable_thinking: optional(z.boolean()).meta({
    description: 'Asks the model not to think first, where it can do without.',
  }),
  enable_web_search: optional(
    z.union(
      [z.enum(['off', 'on', 'auto']), z.boolean().transform((isOn) => (isOn ? ('on' as const) : ('off' as const)))],
      'must be off, on, auto, true or false',
    ),
  ).meta({ description: 'Searches the web with the last question; `auto` lets the model decide.' }),
  enable_web_scraping: optional(z.boolean()).meta({
    description: `Reads up to ${MAX_PAGES_READ} addresses of the last message of the user, in place of a search.`,
  }),
  enable_x_search: optional(z.boolean()).meta({
    description:
      "Lets the model's own vendor search the web and X, on models that can. Where the vendor refuses, the service searches.",
  }),
  enable_web_citations: optional(z.boolean()).meta({
    description: 'Asks for `[REF]n[/REF]` after what a source says.',
  }),
  include_search_results_in_stream: optional(z.boolean()).meta({
    description: 'Sends the list of sources as the first chunk of a stream.',
  }),
  return_search_results_as_documents: optional(z.boolean()).meta({
    description: 'Adds a call of `service_web_search_documents` with the sources.',
  }),
  include_service_system_prompt: optional(z.boolean()).meta({
    description: "`false` sends the model nothing but the caller's own words.",
  }),
  enable_e2ee: optional(z.boolean()).meta({ description: 'Taken; this service has no model that it matters to.' }),
})
export type ServiceParameters = z.output<typeof ServiceParameters>

const known = {
  messages: z.array(Message).min(1).max(MAX_MESSAGES).meta({ description: 'The conversation so far, oldest first.' }),
  model: z.string().min(1, 'name a model; GET /models lists them').meta({
    description:
      'An id of `GET /models`, a trait such as `default`, or a name that is mapped to one. It may carry options: `default:enable_web_search=on`.',
  }),
  stream: optional(z.boolean()).meta({
    description: 'Sends the answer as it is written: [streaming](/docs/guides/streaming).',
  }),
  stream_options: optional(
    z.object({
      include_usage: optional(z.boolean()).meta({
        description: '`false` leaves the last chunk with `usage` and `cost` out.',
      }),
    }),
  ).meta({ description: 'What a stream tells.' }),
  frequency_penalty: optional(z.number().min(-2).max(2)).meta({
    description: 'Above 0, words that were used often become less likely.',
  }),
  presence_penalty: optional(z.number().min(-2).max(2)).meta({
    description: 'Above 0, words that were used at all become less likely.',
  }),
  repetition_penalty: optional(z.number().min(0)).meta({ description: 'Above 1, repeating becomes less likely.' }),
  temperature: optional(z.number().min(0).max(2)).meta({
    description: 'How freely the model chooses: 0 always takes what is likeliest.',
  }),
  top_p: optional(z.number().min(0).max(1)).meta({
    description: 'Chooses among the likeliest tokens that together have this probability.',
  }),
  top_k: optional(z.int().min(0)).meta({ description: 'Chooses among so many of the likeliest tokens.' }),
  min_p: optional(z.number().min(0).max(1)).meta({
    description: 'Leaves out tokens less likely than this share of the likeliest.',
  }),
  min_temp: optional(z.number().min(0).max(2)).meta({ description: 'The least temperature, on models that vary it.' }),
  max_temp: optional(z.number().min(0).max(2)).meta({ description: 'The most temperature, on models that vary it.' }),
  max_completion_tokens: optional(z.int().min(1)).meta({
    description: 'The most that the model may write, thoughts included.',
  }),
  max_tokens: optional(z.int()).meta({ description: 'An older name of `max_completion_tokens`.' }),
  n: optional(z.int().min(1).max(MAX_CHOICES)).meta({ description: 'How many answers to write. Each is charged.' }),
  seed: optional(z.int().min(1)).meta({
    description: 'The same seed, request and model give the same result, where the model can.',
  }),
  stop: optional(
    z.union(
      [z.string(), z.array(z.string()).min(1).max(MAX_STOP)],
      `must be text, or a list of 1 to ${MAX_STOP} texts`,
    ),
  ).meta({ description: 'The answer ends before any of these texts.' }),
  stop_token_ids: optional(z.array(z.number()).max(MAX_PARTS)).meta({
    description: 'The answer ends before any of these tokens.',
  }),
  logprobs: optional(z.boolean()).meta({ description: 'Tells how likely each token was, on models that can.' }),
  top_logprobs: optional(
    z
      .int()
      .min(0)
      .transform((count) => Math.min(count, MAX_TOP_LOGPROBS)),
  ).meta({ description: `How many alternatives to return for each token, at most ${MAX_TOP_LOGPROBS}.` }),
  prompt_logprobs: optional(
    z
      .int()
      .min(0)
      .transform((count) => Math.min(count, MAX_TOP_LOGPROBS)),
  ).meta({
    description: `Tells how likely each token of the prompt was, with so many alternatives (at most ${MAX_TOP_LOGPROBS}), on servers that report it. Without effect with \`stream\`.`,
  }),
  tools: optional(z.array(Tool).max(MAX_TOOLS)).meta({
    description:
      'What the model may ask you to call. `web_search` and `x_search` stand for the fields of `service_parameters`.',
  }),
  tool_choice: optional(ToolChoice).meta({
    description: 'Whether the model may, must or must not call a tool, or which.',
  }),
  parallel_tool_calls: optional(z.boolean()).meta({ description: 'Whether the model may call several tools at once.' }),
  response_format: optional(ResponseFormat).meta({ description: 'Asks for JSON, of any form or by a schema.' }),
  reasoning_effort: optional(Effort).meta({
    description: 'How long the model thinks, on models that let that be set.',
  }),
  reasoning: optional(
    z.object({
      effort: optional(Effort).meta({ description: 'How long it thinks, on models that let that be set.' }),
      summary: optional(z.enum(['auto', 'concise', 'detailed'])).meta({
        description: 'Whether its thoughts are summed up, on models that do.',
      }),
      enabled: optional(z.boolean()).meta({ description: '`false` asks the model not to think first.' }),
    }),
  ).meta({ description: 'How the model thinks.' }),
  verbosity: optional(Verbosity).meta({ description: 'How long answers are, on models that let that be set.' }),
  text: optional(z.object({ verbosity: optional(Verbosity).meta({ description: 'As `verbosity`.' }) })).meta({
    description: 'How the answer is written.',
  }),
  prompt_cache_key: optional(z.string().max(1024)).meta({
    description: 'Requests with the same key are sent where their beginning may be cached.',
  }),
  prompt_cache_retention: optional(z.enum(['default', 'extended', '24h'])).meta({
    description: 'How long a cached beginning is kept, on models that offer that.',
  }),
  service_parameters: optional(ServiceParameters).meta({
    description: 'What only this service has: the web, characters, thoughts.',
  }),
  // Taken and without effect; named so that they are checked, and never reach a backend.
  user: optional(z.string()).meta({ description: 'Whom you ask for, as you call them. Taken, and goes no further.' }),
  store: optional(z.boolean()).meta({ description: 'Taken; nothing is kept.' }),
  metadata: optional(z.record(z.string(), z.string())).meta({ description: 'Taken, and goes no further.' }),
  include: optional(z.array(z.string())).meta({ description: 'Taken, and goes no further.' }),
  fallbacks: optional(
    z
      .array(
        z.looseObject({
          model: z.string().meta({
            description:
              'An id of `GET /models`, a trait such as `default`, or a name that is mapped to one. It may carry options: `default:enable_web_search=on`.',
          }),
        }),
      )
      .max(10),
  ).meta({ description: 'Taken, and goes no further: which models stand in is set by the operator.' }),
}

/** Body of `POST /chat/completions`. Unknown fields pass through unchecked (API contract, chat.md 1). */
export const ChatCompletionRequest = z.looseObject(known).superRefine((body, context) => {
  if (body.min_temp !== undefined && body.max_temp !== undefined && body.min_temp > body.max_temp) {
    context.addIssue({ code: 'custom', path: ['min_temp'], message: 'must not be above max_temp' })
  }
})
export type ChatCompletionRequest = z.output<typeof ChatCompletionRequest>

/** Fields that the interface knows; others may be passed on to an engine. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(known))

const count = z.int().min(0)

/** A source that an answer may cite as `[REF]n[/REF]`; n is its place in the list, from 0. */
export const Citation = z.object({
  title: z.string().meta({ description: 'The title of the page.' }),
  url: z.string().meta({ description: 'Its address.' }),
  content: z.string().optional().meta({ description: 'The passage.' }),
  date: z.string().optional().meta({ description: 'When it was published, where that is known.' }),
})
export type Citation = z.output<typeof Citation>

/** `service_parameters` of a reply: the options that took effect. */
export const ServiceParametersEcho = z.object({
  character_slug: z.string().optional().meta({
    description:
      'Puts the prompt of a character before your own system messages: [List characters](/docs/reference/characters/list-characters).',
  }),
  enable_e2ee: z.boolean().meta({ description: 'Taken; this service has no model that it matters to.' }),
  enable_web_citations: z.boolean().meta({ description: 'Asks for `[REF]n[/REF]` after what a source says.' }),
  enable_web_scraping: z.boolean().meta({
    description: `Reads up to ${MAX_PAGES_READ} addresses of the last message of the user, in place of a search.`,
  }),
  enable_web_search: z
    .enum(['auto', 'off', 'on'])
    .meta({ description: 'Searches the web with the last question; `auto` lets the model decide.' }),
  include_service_system_prompt: z
    .boolean()
    .meta({ description: "`false` sends the model nothing but the caller's own words." }),
  include_search_results_in_stream: z
    .boolean()
    .meta({ description: 'Sends the list of sources as the first chunk of a stream.' }),
  return_search_results_as_documents: z
    .boolean()
    .meta({ description: 'Adds a call of `service_web_search_documents` with the sources.' }),
  strip_thinking_response: z.boolean().meta({ description: 'Leaves thoughts out of the answer.' }),
  disable_thinking: z.boolean().meta({ description: 'Asks the model not to think first, where it can do without.' }),
  web_search_citations: z
    .array(Citation)
    .meta({ description: 'The sources that were given to the model. `[REF]n[/REF]` in the answer counts from 0.' }),
  assists: z
    .array(
      z.object({
        type: z
          .enum(['image_url', 'input_audio', 'video_url'])
          .meta({ description: 'The kind of part that was read.' }),
        model: z.string().meta({ description: 'The model that answered.' }),
        cost_usd: z
          .number()
          .meta({ description: 'What the reading costs, in US dollars. It is part of the cost of the answer.' }),
      }),
    )
    .optional()
    .meta({ description: 'The models that saw or heard in place of this one.' }),
})
export type ServiceParametersEcho = z.output<typeof ServiceParametersEcho>

export const web_search_status = z.enum(WEB_SEARCH_STATUSES).optional()

export const Cost = z.object({
  diem: z.number().min(0).meta({ description: 'In daily credit of staked tokens.' }),
  usd: z.number().min(0).meta({ description: 'In dollars, bundled credit included.' }),
})

const Usage = z.object({
  prompt_tokens: count.meta({ description: 'Of all that the model read.' }),
  completion_tokens: count.meta({ description: 'Of all that the model wrote, thoughts included.' }),
  total_tokens: count.meta({ description: 'The sum.' }),
  prompt_tokens_details: z
    .object({
      cached_tokens: count.meta({ description: 'Read from a cache of the backend.' }),
      cache_creation_input_tokens: count.meta({ description: 'Written into a cache of the backend.' }),
    })
    .meta({ description: 'Tokens of the prompt that have another price.' }),
  completion_tokens_details: z
    .object({ reasoning_tokens: count.meta({ description: 'Of thoughts.' }) })
    .meta({ description: 'What the written tokens were.' }),
})
export type UsageBody = z.output<typeof Usage>

const token = {
  token: z.string().meta({ description: 'The text of the token.' }),
  logprob: z.number().meta({ description: 'The logarithm of its probability.' }),
  bytes: z.array(z.int()).nullish().meta({ description: 'The token as bytes of UTF-8.' }),
}
const Logprob = z.looseObject({
  ...token,
  top_logprobs: z.array(z.looseObject(token)).optional().meta({ description: 'The likeliest tokens in this place.' }),
})
const Logprobs = Logprob.extend({
  content: z.array(Logprob).meta({ description: 'All tokens of the answer.' }),
}).nullable()

const finish_reason = z.enum(['stop', 'length', 'tool_calls'])
const ToolCallReply = z.object({
  id: z.string().meta({ description: 'Name it in the message that answers it.' }),
  type: z.literal('function'),
  function: z
    .object({
      name: z.string().meta({ description: 'The name of the function.' }),
      arguments: z.string().meta({ description: 'Its arguments, as text of JSON. A model may write wrong JSON.' }),
    })
    .meta({ description: 'What to call.' }),
})
const details = z.array(z.record(z.string(), z.unknown())).optional()

/** A whole answer. Source: API contract, chat.md 8. */
export const ChatCompletion = z.object({
  id: z.string().meta({ description: 'The answer. The ledger names it too.' }),
  object: z.literal('chat.completion'),
  created: z.int().meta({ description: 'When, in Unix seconds.' }),
  model: z.string().meta({ description: 'The model that answered.' }),
  choices: z
    .array(
      z.object({
        index: count.meta({ description: 'Which answer it is, from 0.' }),
        finish_reason: finish_reason.meta({
          description: 'Why the answer ended: it was complete, it was as long as it may be, or tools are to be called.',
        }),
        stop_reason: z.enum(['stop', 'length']).meta({ description: 'The same without tools.' }),
        logprobs: Logprobs.meta({
          description:
            'How likely each token was, where that was asked for: the first token, and all of them in `content`.',
        }),
        message: z
          .object({
            role: z.literal('assistant'),
            content: z.string().nullable().meta({ description: 'Its words; `null` where it only calls tools.' }),
            reasoning_content: z.string().nullable().meta({ description: 'Thoughts, where the model tells them.' }),
            reasoning_details: details.meta({ description: 'Thoughts in the form that the model wants back.' }),
            tool_calls: z.array(ToolCallReply).optional().meta({ description: 'Tools to call.' }),
          })
          .meta({ description: 'The answer.' }),
      }),
    )
    .meta({ description: 'The answers, `n` of them. The last chunk of a stream has none.' }),
  usage: Usage.meta({ description: 'Tokens that were counted.' }),
  prompt_logprobs: z.array(z.unknown()).nullish().meta({
    description:
      'Where `prompt_logprobs` was asked for: an entry for each token of the prompt, as the model server sends it; `null` where it reports none.',
  }),
  cost: Cost.optional().meta({ description: 'What was charged. Missing where nothing was.' }),
  service_parameters: ServiceParametersEcho.meta({ description: 'The options that took effect, and what was found.' }),
})
export type ChatCompletion = z.output<typeof ChatCompletion>

const ToolCallDelta = z.object({
  index: count.meta({ description: 'Which call the piece belongs to.' }),
  id: z.string().optional().meta({ description: 'Name it in the message that answers it.' }),
  type: z.literal('function').optional(),
  function: z
    .object({
      name: z.string().optional().meta({ description: 'The name of the function.' }),
      arguments: z.string().meta({ description: 'Its arguments, as text of JSON. A model may write wrong JSON.' }),
    })
    .meta({ description: 'What to call.' }),
})

const Chunk = z.object({
  id: z.string().meta({ description: 'The answer. The ledger names it too.' }),
  object: z.literal('chat.completion.chunk'),
  created: z.int().meta({ description: 'When, in Unix seconds.' }),
  model: z.string().meta({ description: 'The model that answered.' }),
  choices: z
    .array(
      z.object({
        index: count.meta({ description: 'Which answer it is, from 0.' }),
        delta: z
          .object({
            role: z.literal('assistant').optional(),
            content: z.string().optional().meta({ description: 'More words.' }),
            reasoning_content: z.string().optional().meta({ description: 'More thoughts.' }),
            reasoning_details: details.meta({ description: 'Thoughts in the form that the model wants back.' }),
            tool_calls: z.array(ToolCallDelta).optional().meta({ description: 'Pieces of calls.' }),
          })
          .meta({ description: 'What is new.' }),
        finish_reason: finish_reason.nullable().meta({
          description: 'Why the answer ended: it was complete, it was as long as it may be, or tools are to be called.',
        }),
        logprobs: Logprobs.meta({
          description:
            'How likely each token was, where that was asked for: the first token, and all of them in `content`.',
        }),
      }),
    )
    .meta({ description: 'The answers, `n` of them. The last chunk of a stream has none.' }),
  usage: Usage.optional().meta({ description: 'Tokens that were counted.' }),
  cost: Cost.optional().meta({ description: 'What was charged. Missing where nothing was.' }),
  service_parameters: ServiceParametersEcho.partial()
    .extend({
      web_search_status: web_search_status.meta({
        description:
          'How the web step ended: sources found, nothing found, failed, or not needed, where `auto` decided against it. Absent where the request asked for none.',
      }),
    })
    .optional()
    .meta({ description: 'The options that took effect, and what was found.' }),
})

const StreamError = z.object({
  error: z
    .object({
      message: z.string().meta({ description: 'For people: what is wrong, and what to do about it.' }),
      type: z.enum(['server_error', 'invalid_request_error', 'api_error']).meta({ description: 'Whose fault it is.' }),
      code: z.string().meta({ description: 'For programs.' }),
      param: z.null().meta({ description: 'Always `null`.' }),
      retry_after: z.number().optional().meta({ description: 'Seconds to wait before the next try.' }),
    })
    .meta({ description: 'What ended the stream.' }),
})

/** One event of a streamed answer: a chunk, or the error that ends it. */
export const ChatCompletionEvent = z.union([Chunk, StreamError])

export type ChatChunk = z.output<typeof Chunk>
export type StreamError = z.output<typeof StreamError>
