import { z } from 'zod'
import {
  AudioFormat,
  Cost,
  Effort,
  optional,
  ServiceParameters,
  ServiceParametersEcho,
  Verbosity,
  web_search_status,
} from '@/lib/contract/chat.schema'

const MAX_TOOLS = 256
const MAX_NAME_CHARS = 256
const MAX_HANDLES = 10
const KNOWN = ['function', 'web_search', 'web_search_preview', 'x_search']

const name = z.string().min(1).max(MAX_NAME_CHARS)
const definition = {
  name,
  description: optional(z.string()),
  parameters: optional(z.record(z.string(), z.unknown())),
  strict: optional(z.boolean()),
}
const FlatFunction = z.object({ type: z.literal('function'), function: z.never().optional(), ...definition })
const NestedFunction = z.object({ type: z.literal('function'), function: z.object(definition) })

const searchPlace = optional(z.string())
const WebSearch = z.object({
  type: z.enum(['web_search', 'web_search_preview']),
  search_context_size: optional(z.enum(['low', 'medium', 'high'])),
  user_location: optional(
    z.object({
      type: optional(z.literal('approximate')),
      city: searchPlace,
      country: searchPlace,
      region: searchPlace,
      timezone: searchPlace,
    }),
  ),
})
const handles = optional(z.array(z.string().min(1)).max(MAX_HANDLES))
const day = optional(z.union([z.iso.date(), z.iso.datetime({ offset: true })]))
const XSearch = z.object({
  type: z.literal('x_search'),
  allowed_x_handles: handles,
  excluded_x_handles: handles,
  from_date: day,
  to_date: day,
  enable_image_understanding: optional(z.boolean()),
  enable_video_understanding: optional(z.boolean()),
})
/** Whatever else a vendor offers is taken, and dropped. */
const OtherTool = z.object({
  type: z.string().refine((type) => !KNOWN.includes(type), {
    abort: true,
    error: 'is known, and does not look like this',
  }),
})

const Tool = z.union([FlatFunction, NestedFunction, z.discriminatedUnion('type', [WebSearch, XSearch]), OtherTool])
export type ResponsesTool = z.output<typeof Tool>

/**
 * Functions in both forms, and searches. Of a search, that it is offered has an effect; how wide, from where and by whom is
 * checked and goes no further: no search behind this service takes it.
 */
export const Tools = z.array(Tool).max(MAX_TOOLS)

/** A function by its name: beside the type, as current clients write it, or inside as for a chat. */
export const Choice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.object({ type: z.literal('function'), function: z.never().optional(), name }),
  z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
])

const MAX_ITEMS = 4000
const MAX_PARTS = 4000

const address = z.string().min(1)
const id = optional(z.string())
const noType = z.null().optional()

const textTypes = z.enum(['input_text', 'output_text', 'text'])
const text = z.string().min(1)
const TextPart = z.object({ type: textTypes, text })
const imageUrl = z.union([address, z.object({ url: address })])
const ImagePart = z.object({ type: z.enum(['input_image', 'image_url']), image_url: imageUrl })
/** A part that is known by its field. */
const BarePart = z
  .object({ type: noType, text: text.optional(), image_url: imageUrl.optional() })
  .refine((part) => part.text !== undefined || part.image_url !== undefined, { error: 'needs a type' })
const FilePart = z
  .object({
    type: z.literal('input_file'),
    file_data: optional(address),
    file_url: optional(address),
    filename: optional(z.string()),
  })
  .refine(({ file_data, file_url }) => file_data !== undefined || file_url !== undefined, {
    error: 'needs file_data or file_url',
  })
const AudioPart = z.object({
  type: z.literal('input_audio'),
  input_audio: z.object({ data: address, format: AudioFormat.default('wav') }),
})
const UserPart = z.discriminatedUnion('type', [TextPart, ImagePart, FilePart, AudioPart, BarePart])
export type ResponsesPart = z.output<typeof UserPart>

const PlainPart = z.object({ type: textTypes.nullish(), text })
/** What was answered comes back as it was sent, also where it said nothing. */
const AnswerPart = PlainPart.extend({ text: z.string() })
const userContent = z.union([z.string(), z.array(UserPart).min(1).max(MAX_PARTS)])
const textContent = z.union([z.string(), z.array(PlainPart).min(1).max(MAX_PARTS)])
const answerContent = z.union([z.string(), z.array(AnswerPart).max(MAX_PARTS)])

const said = { id, status: id }
const type = z.literal('message').nullish()
const Message = z.discriminatedUnion('role', [
  z.object({ type, role: z.literal('user'), content: userContent, ...said }),
  z.object({ type, role: z.literal('assistant'), content: answerContent, ...said }),
  z.object({ type, role: z.enum(['system', 'developer']), content: textContent, ...said }),
])

const call = { ...said, call_id: z.string().min(1) }
const Item = z.discriminatedUnion('type', [
  Message,
  z.object({
    type: z.literal('function_call'),
    ...call,
    name: z.string().min(1).max(MAX_NAME_CHARS),
    arguments: z.string(),
  }),
  z.object({ type: z.literal('function_call_output'), ...call, output: textContent }),
  // Taken and without effect: nothing is kept between requests, and thoughts are not read back.
  z.object({ type: z.enum(['reasoning', 'item_reference', 'web_search_call']) }),
])
export type ResponsesItem = z.output<typeof Item>

/** What a request says: one question, or the conversation so far as its items. */
export const Input = z.union([z.string().min(1), z.array(Item).min(1).max(MAX_ITEMS)], {
  error: ({ input }) =>
    typeof input === 'string' || Array.isArray(input) ? undefined : 'must be a text or a list of items',
})

const Format = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    schema: z.record(z.string(), z.unknown()),
    name: optional(z.string()),
    description: optional(z.string()),
    strict: optional(z.boolean()),
  }),
])

/**
 * The body of POST /responses (contract, chat.md "POST /responses"). Whatever else it holds is ignored: `store`,
 * `previous_response_id` and `metadata` too, as nothing is kept here.
 *
 * Four fields that the contract would let us ignore take effect, because the answer would be another one without them:
 * every stock client sends its system prompt as `instructions` and a schema as `text.format`, and `parallel_tool_calls` and
 * `prompt_cache_key` say what they say for a chat completion.
 */
export const ResponsesRequest = z.object({
  model: z.string().min(1, 'name a model; GET /models lists them'),
  input: Input,
  instructions: optional(z.string()),
  max_output_tokens: optional(z.int().min(1)),
  temperature: optional(z.number().min(0).max(2)),
  top_p: optional(z.number().min(0).max(1)),
  reasoning: optional(
    z.object({
      effort: optional(Effort),
      summary: optional(z.enum(['auto', 'concise', 'detailed'])),
      enabled: optional(z.boolean()),
    }),
  ),
  tools: optional(Tools),
  tool_choice: optional(Choice),
  parallel_tool_calls: optional(z.boolean()),
  text: optional(z.object({ format: optional(Format), verbosity: optional(Verbosity) })),
  web_search: optional(z.boolean()),
  stream: optional(z.boolean()),
  /** `reasoning.encrypted_content` is the one that there is. */
  include: optional(z.array(z.string())),
  fallbacks: optional(z.array(z.looseObject({ model: z.string() })).max(10)),
  prompt_cache_key: optional(z.string().max(1024)),
  service_parameters: optional(
    ServiceParameters.pick({
      character_slug: true,
      enable_e2ee: true,
      enable_web_search: true,
      enable_web_scraping: true,
      enable_web_citations: true,
      include_service_system_prompt: true,
      include_search_results_in_stream: true,
    }),
  ),
})
export type ResponsesRequest = z.output<typeof ResponsesRequest>

const count = z.int().min(0)
const status = z.enum(['in_progress', 'completed', 'incomplete'])

const Annotation = z.object({
  type: z.literal('url_citation'),
  url: z.string(),
  title: z.string(),
  start_index: count,
  end_index: count,
})

const SummaryPart = z.object({ type: z.literal('summary_text'), text: z.string() })

const OutputItem = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('reasoning'),
    id: z.string(),
    summary: z.array(SummaryPart),
    encrypted_content: z.string().optional(),
  }),
  z.object({
    type: z.literal('web_search_call'),
    id: z.string(),
    status: z.enum(['in_progress', 'completed', 'failed']),
    action: z.object({ type: z.literal('search'), query: z.string() }),
  }),
  z.object({
    type: z.literal('function_call'),
    id: z.string(),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
    status,
  }),
  z.object({
    type: z.literal('message'),
    id: z.string(),
    status,
    role: z.literal('assistant'),
    content: z.array(z.object({ type: z.literal('output_text'), text: z.string(), annotations: z.array(Annotation) })),
  }),
])

/** A response, as `lib/endpoints/chat/responses/response.ts` writes it. Source: API contract, chat.md "POST /responses". */
export const ResponseObject = z.object({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  model: z.string(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  output: z.array(OutputItem),
  incomplete_details: z.object({ reason: z.literal('max_output_tokens') }).optional(),
  usage: z
    .object({
      input_tokens: count,
      output_tokens: count,
      total_tokens: count,
      input_tokens_details: z.object({ cached_tokens: count }),
      output_tokens_details: z.object({ reasoning_tokens: count }),
    })
    .optional(),
  cost: Cost.optional(),
  service_parameters: ServiceParametersEcho.extend({ web_search_status }).optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
})

const order = { sequence_number: count }
const place = { ...order, output_index: count, item_id: z.string() }
const summary = { ...place, summary_index: z.literal(0) }
const part = { ...place, content_index: z.literal(0) }

/** One event of a streamed response, as `lib/endpoints/chat/responses/events.ts` writes it. */
export const ResponseEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.enum([
      'response.created',
      'response.in_progress',
      'response.completed',
      'response.incomplete',
      'response.failed',
    ]),
    ...order,
    response: ResponseObject,
  }),
  z.object({
    type: z.enum(['response.output_item.added', 'response.output_item.done']),
    ...order,
    output_index: count,
    item: OutputItem,
  }),
  z.object({
    type: z.enum(['response.content_part.added', 'response.content_part.done']),
    ...part,
    part: z.object({ type: z.literal('output_text'), text: z.string(), annotations: z.array(Annotation) }),
  }),
  z.object({ type: z.literal('response.output_text.delta'), ...part, delta: z.string() }),
  z.object({ type: z.literal('response.output_text.done'), ...part, text: z.string() }),
  z.object({
    type: z.enum(['response.reasoning_summary_part.added', 'response.reasoning_summary_part.done']),
    ...summary,
    part: SummaryPart,
  }),
  z.object({ type: z.literal('response.reasoning_summary_text.delta'), ...summary, delta: z.string() }),
  z.object({ type: z.literal('response.reasoning_summary_text.done'), ...summary, text: z.string() }),
  z.object({ type: z.literal('response.function_call_arguments.delta'), ...place, delta: z.string() }),
  z.object({
    type: z.literal('response.function_call_arguments.done'),
    ...place,
    name: z.string(),
    arguments: z.string(),
  }),
  z.object({
    type: z.enum(['response.web_search_call.in_progress', 'response.web_search_call.searching']),
    ...place,
  }),
  z.object({
    type: z.literal('response.web_search_call.completed'),
    ...place,
    results: ServiceParametersEcho.shape.web_search_citations.optional(),
  }),
])
