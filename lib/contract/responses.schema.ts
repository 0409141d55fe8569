import { z } from 'zod'
import {
  AudioFormat,
  Cost,
  chatFields,
  FunctionChoice,
  functionFields,
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

const ignored = <Schema extends z.ZodType>(schema: Schema) => optional(schema).describe('Accepted and ignored.')

const name = z.string().min(1).max(MAX_NAME_CHARS)
const FlatFunction = z.object({
  type: z.literal('function'),
  function: z.never().optional().describe('Function that the model can call.'),
  ...functionFields,
})
const NestedFunction = z.object({
  type: z.literal('function'),
  function: z.object(functionFields).describe('Function that the model can call.'),
})

const searchPlace = ignored(z.string())
const WebSearch = z.object({
  type: z.enum(['web_search', 'web_search_preview']).describe('Type of the tool.'),
  search_context_size: ignored(z.enum(['low', 'medium', 'high'])),
  user_location: ignored(
    z.object({
      type: ignored(z.literal('approximate')),
      city: searchPlace,
      country: searchPlace,
      region: searchPlace,
      timezone: searchPlace,
    }),
  ),
})
const handles = ignored(z.array(z.string().min(1)).max(MAX_HANDLES))
const day = ignored(z.union([z.iso.date(), z.iso.datetime({ offset: true })]))
const XSearch = z.object({
  type: z.literal('x_search'),
  allowed_x_handles: handles,
  excluded_x_handles: handles,
  from_date: day,
  to_date: day,
  enable_image_understanding: ignored(z.boolean()),
  enable_video_understanding: ignored(z.boolean()),
})
const OtherTool = z.object({
  type: z
    .string()
    .refine((type) => !KNOWN.includes(type), {
      abort: true,
      error: 'is a known type of tool, but its fields are invalid',
    })
    .describe('Type of the tool.'),
})

const Tool = z.union([FlatFunction, NestedFunction, z.discriminatedUnion('type', [WebSearch, XSearch]), OtherTool])
export type ResponsesTool = z.output<typeof Tool>

/**
 * Functions in both forms, and searches. The options of a search are checked and not used: no search behind this
 * service supports them.
 */
const Tools = z.array(Tool).max(MAX_TOOLS)

const Choice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.object({
    type: z.literal('function'),
    function: z.never().optional().describe('Function that the model must call.'),
    name: name.describe('Name of the function that the model must call.'),
  }),
  FunctionChoice,
])

const MAX_ITEMS = 4000
const MAX_PARTS = 4000

const address = z.string().min(1)
const noType = z.null().optional()

const textTypes = z.enum(['input_text', 'output_text', 'text'])
const text = z.string().min(1)
const TextPart = z.object({
  type: textTypes.describe('Type of the part.'),
  text: text.describe('Text of the part.'),
})
const imageUrl = z.union([address, z.object({ url: address.describe('Data URL or public URL.') })])
const ImagePart = z.object({
  type: z.enum(['input_image', 'image_url']).describe('Type of the part.'),
  image_url: imageUrl.describe('Image as a data URL or a public URL.'),
})
const BarePart = z
  .object({
    type: noType.describe('Type of the part.'),
    text: text.optional().describe('Text of the part.'),
    image_url: imageUrl.optional().describe('Image as a data URL or a public URL.'),
  })
  .refine((part) => part.text !== undefined || part.image_url !== undefined, { error: 'needs a type' })
const FilePart = z
  .object({
    type: z.literal('input_file'),
    file_data: optional(address).describe('Document as a data URL.'),
    file_url: optional(address).describe('Public URL of the document.'),
    filename: optional(z.string()).describe('File name of the document.'),
  })
  .refine(({ file_data, file_url }) => file_data !== undefined || file_url !== undefined, {
    error: 'needs file_data or file_url',
  })
const AudioPart = z.object({
  type: z.literal('input_audio'),
  input_audio: z
    .object({
      data: address.describe('Base64-encoded audio.'),
      format: AudioFormat.default('wav').describe('Format of the audio: `wav`, `mp3` and others.'),
    })
    .describe('Audio input.'),
})
const UserPart = z.discriminatedUnion('type', [TextPart, ImagePart, FilePart, AudioPart, BarePart])
export type ResponsesPart = z.output<typeof UserPart>

const PlainPart = z.object({
  type: textTypes.nullish().describe('Type of the part.'),
  text: text.describe('Text of the part.'),
})
const AnswerPart = PlainPart.extend({ text: z.string().describe('Text of the part.') })
const userContent = z.union([z.string(), z.array(UserPart).min(1).max(MAX_PARTS)])
const textContent = z.union([z.string(), z.array(PlainPart).min(1).max(MAX_PARTS)])
const answerContent = z.union([z.string(), z.array(AnswerPart).max(MAX_PARTS)])

const itemFields = { id: ignored(z.string()), status: ignored(z.string()) }
const CONTENT = 'Text, or a list of parts: text, images, files, audio.'
const ITEM_TYPE = 'Type of the item. Defaults to a message.'
const type = z.literal('message').nullish().describe(ITEM_TYPE)
const Message = z.discriminatedUnion('role', [
  z.object({
    type,
    role: z.literal('user'),
    content: userContent.describe(CONTENT),
    ...itemFields,
  }),
  z.object({
    type,
    role: z.literal('assistant'),
    content: answerContent.describe(CONTENT),
    ...itemFields,
  }),
  z.object({
    type,
    role: z.enum(['system', 'developer']).describe('Role of the author.'),
    content: textContent.describe(CONTENT),
    ...itemFields,
  }),
])

const call = { ...itemFields, call_id: z.string().min(1).describe('ID of the call.') }
const Item = z.discriminatedUnion('type', [
  Message,
  z.object({
    type: z.literal('function_call'),
    ...call,
    name: z.string().min(1).max(MAX_NAME_CHARS).describe('Name of the function.'),
    arguments: z.string().describe('Arguments as a JSON string.'),
  }),
  z.object({
    type: z.literal('function_call_output'),
    ...call,
    output: textContent.describe('Result of the function.'),
  }),
  // Taken and without effect: nothing is kept between requests, and thoughts are not read back.
  z.object({
    type: z.enum(['reasoning', 'item_reference', 'web_search_call']).describe(ITEM_TYPE),
  }),
])
export type ResponsesItem = z.output<typeof Item>

const Input = z.union([z.string().min(1), z.array(Item).min(1).max(MAX_ITEMS)], {
  error: ({ input }) =>
    typeof input === 'string' || Array.isArray(input) ? undefined : 'must be text or a list of items',
})

const Format = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    schema: z.record(z.string(), z.unknown()).describe('JSON Schema of the answer.'),
    name: optional(z.string()).describe('Name of the schema.'),
    description: optional(z.string()).describe('Description of the answer, for the model.'),
    strict: optional(z.boolean()).describe('`true` requires the answer to match the schema.'),
  }),
])

/**
 * Body of `POST /responses`. Other fields are ignored: nothing is stored. `instructions`, `text.format`,
 * `parallel_tool_calls` and `prompt_cache_key` take effect although the contract lets us ignore them, because stock
 * clients send them and the answer would differ. Source: API contract, chat.md "POST /responses".
 */
export const ResponsesRequest = z.object({
  model: z
    .string()
    .min(1, 'must not be empty; GET /models lists the models')
    .describe('Model ID from `GET /models`, a trait such as `default`, or a name that is mapped to a model.'),
  input: Input.describe('Question as text, or the conversation as items.'),
  instructions: optional(z.string()).describe('System instructions, placed before the conversation.'),
  max_output_tokens: optional(z.int().min(1)).describe('Maximum number of tokens to generate, reasoning included.'),
  temperature: chatFields.temperature,
  top_p: chatFields.top_p,
  reasoning: chatFields.reasoning,
  tools: optional(Tools).describe(
    'Tools that the model can call, and searches that the service runs. Unknown types are ignored.',
  ),
  tool_choice: optional(Choice).describe('Tool use: allowed, required, forbidden, or a specific function.'),
  parallel_tool_calls: chatFields.parallel_tool_calls,
  text: optional(
    z.object({
      format: optional(Format).describe('Format of the answer: text, any JSON, or JSON that matches a schema.'),
      verbosity: optional(Verbosity).describe('Same as `verbosity`.'),
    }),
  ).describe('Text settings.'),
  web_search: optional(z.boolean()).describe('Same as `enable_web_search` of `service_parameters`.'),
  stream: chatFields.stream,
  include: ignored(z.array(z.string())),
  fallbacks: optional(z.array(z.looseObject({ model: z.string().describe('Model ID.') })).max(10)).describe(
    'Accepted and ignored: the operator configures fallback models.',
  ),
  prompt_cache_key: chatFields.prompt_cache_key,
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
  ).describe('Parameters specific to this service: web search, characters, reasoning.'),
})
export type ResponsesRequest = z.output<typeof ResponsesRequest>

const count = z.int().min(0)
const status = z.enum(['in_progress', 'completed', 'incomplete']).describe('Status of the item.')

const Annotation = z.object({
  type: z.literal('url_citation'),
  url: z.string().describe('URL of the source.'),
  title: z.string().describe('Title of the source.'),
  start_index: count.describe('Index of the first character of the citation.'),
  end_index: count.describe('Index after the last character of the citation.'),
})

const itemId = z.string().describe('ID of the item.')
const OutputText = z.object({
  type: z.literal('output_text'),
  text: z.string().describe('Text of the part.'),
  annotations: z.array(Annotation).describe('Sources cited in the text.'),
})

const SummaryPart = z.object({
  type: z.literal('summary_text'),
  text: z.string().describe('Text of the part.'),
})

const OutputItem = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('reasoning'),
    id: itemId,
    summary: z.array(SummaryPart).describe('Reasoning of the model.'),
    encrypted_content: z.string().optional().describe('Reasoning to send back to the model unchanged.'),
  }),
  z.object({
    type: z.literal('web_search_call'),
    id: itemId,
    status: z.enum(['in_progress', 'completed', 'failed']).describe('Status of the item.'),
    action: z
      .object({ type: z.literal('search'), query: z.string().describe('Search query.') })
      .describe('Search that was performed.'),
  }),
  z.object({
    type: z.literal('function_call'),
    id: itemId,
    call_id: z.string().describe('ID of the call. Use it in the item with the result.'),
    name: z.string().describe('Name of the function.'),
    arguments: z.string().describe('Arguments as a JSON string.'),
    status,
  }),
  z.object({
    type: z.literal('message'),
    id: itemId,
    status,
    role: z.literal('assistant'),
    content: z.array(OutputText).describe('Parts of the message.'),
  }),
])

export const ResponseObject = z.object({
  id: z.string().describe('ID of the response, also used in the ledger.'),
  object: z.literal('response'),
  created_at: z.int().describe('Creation time in Unix seconds.'),
  model: z.string().describe('ID of the model used.'),
  status: z
    .enum(['in_progress', 'completed', 'incomplete', 'failed'])
    .describe('Status of the response. A full response is completed, or incomplete if it reached the maximum length.'),
  output: z.array(OutputItem).describe('Output of the model, in order: reasoning, searches, calls, messages.'),
  incomplete_details: z
    .object({ reason: z.literal('max_output_tokens') })
    .optional()
    .describe('Reason the response is incomplete.'),
  usage: z
    .object({
      input_tokens: count.describe('Number of tokens in the input.'),
      output_tokens: count.describe('Number of generated tokens, reasoning included.'),
      total_tokens: count.describe('Total number of tokens.'),
      input_tokens_details: z
        .object({ cached_tokens: count.describe("Tokens read from the backend's cache.") })
        .describe('Input tokens with a different price.'),
      output_tokens_details: z
        .object({ reasoning_tokens: count.describe('Number of reasoning tokens.') })
        .describe('Breakdown of the generated tokens.'),
    })
    .optional()
    .describe('Token usage.'),
  cost: Cost.optional().describe('Amount charged. Missing if nothing was charged.'),
  service_parameters: ServiceParametersEcho.extend({
    web_search_status,
  })
    .optional()
    .describe('Parameters in effect, and the web sources.'),
  error: z
    .object({
      code: z.string().describe('Machine-readable code.'),
      message: z.string().describe('Human-readable message: the problem and how to fix it.'),
    })
    .optional()
    .describe('Error that ended the response.'),
})

const order = { sequence_number: count.describe('Sequence number, which rises with each event.') }
const place = {
  ...order,
  output_index: count.describe('Index of the item in `output`.'),
  item_id: itemId,
}
const summary = { ...place, summary_index: z.literal(0) }
const part = { ...place, content_index: z.literal(0) }

const eventType = <const Types extends readonly [string, ...string[]]>(...types: Types) =>
  z.enum(types).describe('Type of the event, also sent in the `event:` line.')

export const ResponseEvent = z.discriminatedUnion('type', [
  z.object({
    type: eventType(
      'response.created',
      'response.in_progress',
      'response.completed',
      'response.incomplete',
      'response.failed',
    ),
    ...order,
    response: ResponseObject.describe('Current state of the response.'),
  }),
  z.object({
    type: eventType('response.output_item.added', 'response.output_item.done'),
    ...order,
    output_index: count.describe('Index of the item in `output`.'),
    item: OutputItem.describe('Item of the output.'),
  }),
  z.object({
    type: eventType('response.content_part.added', 'response.content_part.done'),
    ...part,
    part: OutputText.describe('Part of the message.'),
  }),
  z.object({
    type: z.literal('response.output_text.delta'),
    ...part,
    delta: z.string().describe('Next fragment.'),
  }),
  z.object({
    type: z.literal('response.output_text.done'),
    ...part,
    text: z.string().describe('Complete text of the part.'),
  }),
  z.object({
    type: eventType('response.reasoning_summary_part.added', 'response.reasoning_summary_part.done'),
    ...summary,
    part: SummaryPart.describe('Part of the message.'),
  }),
  z.object({
    type: z.literal('response.reasoning_summary_text.delta'),
    ...summary,
    delta: z.string().describe('Next fragment.'),
  }),
  z.object({
    type: z.literal('response.reasoning_summary_text.done'),
    ...summary,
    text: z.string().describe('Complete text of the part.'),
  }),
  z.object({
    type: z.literal('response.function_call_arguments.delta'),
    ...place,
    delta: z.string().describe('Next fragment.'),
  }),
  z.object({
    type: z.literal('response.function_call_arguments.done'),
    ...place,
    name: z.string().describe('Name of the function.'),
    arguments: z.string().describe('Complete arguments as a JSON string.'),
  }),
  z.object({
    type: eventType('response.web_search_call.in_progress', 'response.web_search_call.searching'),
    ...place,
  }),
  z.object({
    type: z.literal('response.web_search_call.completed'),
    ...place,
    results: ServiceParametersEcho.shape.web_search_citations.optional().describe('Search results.'),
  }),
])
