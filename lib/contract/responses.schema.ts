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
  name: name.meta({ description: 'The name of the function.' }),
  description: optional(z.string()).meta({ description: 'What it does and when to call it.' }),
  parameters: optional(z.record(z.string(), z.unknown())).meta({ description: 'Its arguments, as JSON Schema.' }),
  strict: optional(z.boolean()).meta({ description: 'Whether the arguments have to fit the schema.' }),
}
const FlatFunction = z.object({
  type: z.literal('function'),
  function: z.never().optional().meta({ description: 'A function that the model may ask you to call.' }),
  ...definition,
})
const NestedFunction = z.object({
  type: z.literal('function'),
  function: z.object(definition).meta({ description: 'A function that the model may ask you to call.' }),
})

const searchPlace = optional(z.string())
const WebSearch = z.object({
  type: z.enum(['web_search', 'web_search_preview']).meta({ description: 'The kind of tool.' }),
  search_context_size: optional(z.enum(['low', 'medium', 'high'])).meta({ description: 'Taken, and goes no further.' }),
  user_location: optional(
    z.object({
      type: optional(z.literal('approximate')).meta({ description: 'Taken, and goes no further.' }),
      city: searchPlace.meta({ description: 'Taken, and goes no further.' }),
      country: searchPlace.meta({ description: 'Taken, and goes no further.' }),
      region: searchPlace.meta({ description: 'Taken, and goes no further.' }),
      timezone: searchPlace.meta({ description: 'Taken, and goes no further.' }),
    }),
  ).meta({ description: 'Taken, and goes no further.' }),
})
const handles = optional(z.array(z.string().min(1)).max(MAX_HANDLES))
const day = optional(z.union([z.iso.date(), z.iso.datetime({ offset: true })]))
const XSearch = z.object({
  type: z.literal('x_search'),
  allowed_x_handles: handles.meta({ description: 'Taken, and goes no further.' }),
  excluded_x_handles: handles.meta({ description: 'Taken, and goes no further.' }),
  from_date: day.meta({ description: 'Taken, and goes no further.' }),
  to_date: day.meta({ description: 'Taken, and goes no further.' }),
  enable_image_understanding: optional(z.boolean()).meta({ description: 'Taken, and goes no further.' }),
  enable_video_understanding: optional(z.boolean()).meta({ description: 'Taken, and goes no further.' }),
})
/** Unknown kinds of tools are accepted, and dropped. */
const OtherTool = z.object({
  type: z
    .string()
    .refine((type) => !KNOWN.includes(type), {
      abort: true,
      error: 'is known, and does not look like this',
    })
    .meta({ description: 'The kind of tool.' }),
})

const Tool = z.union([FlatFunction, NestedFunction, z.discriminatedUnion('type', [WebSearch, XSearch]), OtherTool])
export type ResponsesTool = z.output<typeof Tool>

/**
 * Functions in both forms, and searches. Offering a search has an effect; its width, place and sources are checked and
 * not used: no search behind this service takes them.
 */
const Tools = z.array(Tool).max(MAX_TOOLS)

/** A function by its name: beside the type, as current clients write it, or inside as for a chat. */
const Choice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.object({
    type: z.literal('function'),
    function: z.never().optional().meta({ description: 'The tool that has to be called.' }),
    name: name.meta({ description: 'The name of the tool that has to be called.' }),
  }),
  z.object({
    type: z.literal('function'),
    function: z
      .object({ name: z.string().meta({ description: 'Its name.' }) })
      .meta({ description: 'The tool that has to be called.' }),
  }),
])

const MAX_ITEMS = 4000
const MAX_PARTS = 4000

const address = z.string().min(1)
const id = optional(z.string())
const noType = z.null().optional()

const textTypes = z.enum(['input_text', 'output_text', 'text'])
const text = z.string().min(1)
const TextPart = z.object({
  type: textTypes.meta({ description: 'The kind of part.' }),
  text: text.meta({ description: 'The words.' }),
})
const imageUrl = z.union([address, z.object({ url: address.meta({ description: 'A data URL or a public address.' }) })])
const ImagePart = z.object({
  type: z.enum(['input_image', 'image_url']).meta({ description: 'The kind of part.' }),
  image_url: imageUrl.meta({ description: 'A picture, as a data URL or a public address.' }),
})
const BarePart = z
  .object({
    type: noType.meta({ description: 'The kind of part.' }),
    text: text.optional().meta({ description: 'The words.' }),
    image_url: imageUrl.optional().meta({ description: 'A picture, as a data URL or a public address.' }),
  })
  .refine((part) => part.text !== undefined || part.image_url !== undefined, { error: 'needs a type' })
const FilePart = z
  .object({
    type: z.literal('input_file'),
    file_data: optional(address).meta({ description: 'A document, as a data URL.' }),
    file_url: optional(address).meta({ description: 'A document, at a public address.' }),
    filename: optional(z.string()).meta({ description: 'The name of the document.' }),
  })
  .refine(({ file_data, file_url }) => file_data !== undefined || file_url !== undefined, {
    error: 'needs file_data or file_url',
  })
const AudioPart = z.object({
  type: z.literal('input_audio'),
  input_audio: z
    .object({
      data: address.meta({ description: 'Base64.' }),
      format: AudioFormat.default('wav').meta({ description: 'What it is: `wav`, `mp3` and others.' }),
    })
    .meta({ description: 'A recording.' }),
})
const UserPart = z.discriminatedUnion('type', [TextPart, ImagePart, FilePart, AudioPart, BarePart])
export type ResponsesPart = z.output<typeof UserPart>

const PlainPart = z.object({
  type: textTypes.nullish().meta({ description: 'The kind of part.' }),
  text: text.meta({ description: 'The words.' }),
})
/** An answer comes back as it was sent, also when it was empty. */
const AnswerPart = PlainPart.extend({ text: z.string().meta({ description: 'The words.' }) })
const userContent = z.union([z.string(), z.array(UserPart).min(1).max(MAX_PARTS)])
const textContent = z.union([z.string(), z.array(PlainPart).min(1).max(MAX_PARTS)])
const answerContent = z.union([z.string(), z.array(AnswerPart).max(MAX_PARTS)])

const said = {
  id: id.meta({ description: 'Taken, and goes no further.' }),
  status: id.meta({ description: 'Taken, and goes no further.' }),
}
const type = z.literal('message').nullish()
const Message = z.discriminatedUnion('role', [
  z.object({
    type: type.meta({ description: 'The kind of item; a message where it is missing.' }),
    role: z.literal('user'),
    content: userContent.meta({ description: 'Words, or parts: words, pictures, files, recordings.' }),
    ...said,
  }),
  z.object({
    type: type.meta({ description: 'The kind of item; a message where it is missing.' }),
    role: z.literal('assistant'),
    content: answerContent.meta({ description: 'Words, or parts: words, pictures, files, recordings.' }),
    ...said,
  }),
  z.object({
    type: type.meta({ description: 'The kind of item; a message where it is missing.' }),
    role: z.enum(['system', 'developer']).meta({ description: 'Who says it.' }),
    content: textContent.meta({ description: 'Words, or parts: words, pictures, files, recordings.' }),
    ...said,
  }),
])

const call = { ...said, call_id: z.string().min(1).meta({ description: 'The call.' }) }
const Item = z.discriminatedUnion('type', [
  Message,
  z.object({
    type: z.literal('function_call'),
    ...call,
    name: z.string().min(1).max(MAX_NAME_CHARS).meta({ description: 'The name of the function.' }),
    arguments: z.string().meta({ description: 'Its arguments, as text of JSON.' }),
  }),
  z.object({
    type: z.literal('function_call_output'),
    ...call,
    output: textContent.meta({ description: 'What the function answered.' }),
  }),
  // Taken and without effect: nothing is kept between requests, and thoughts are not read back.
  z.object({
    type: z
      .enum(['reasoning', 'item_reference', 'web_search_call'])
      .meta({ description: 'The kind of item; a message where it is missing.' }),
  }),
])
export type ResponsesItem = z.output<typeof Item>

const Input = z.union([z.string().min(1), z.array(Item).min(1).max(MAX_ITEMS)], {
  error: ({ input }) =>
    typeof input === 'string' || Array.isArray(input) ? undefined : 'must be a text or a list of items',
})

const Format = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    schema: z.record(z.string(), z.unknown()).meta({ description: 'The JSON Schema of the answer.' }),
    name: optional(z.string()).meta({ description: 'A name for the schema.' }),
    description: optional(z.string()).meta({ description: 'What the answer is, for the model.' }),
    strict: optional(z.boolean()).meta({ description: 'Whether the answer has to fit the schema.' }),
  }),
])

/**
 * Body of `POST /responses` (API contract, chat.md "POST /responses"). Other fields are ignored: `store`,
 * `previous_response_id` and `metadata` too, as nothing is stored. Four fields that the contract would let us ignore
 * take effect, because the answer would differ without them: stock clients send their system prompt as `instructions`
 * and a schema as `text.format`, and `parallel_tool_calls` and `prompt_cache_key` mean what they mean for a chat
 * completion.
 */
export const ResponsesRequest = z.object({
  model: z
    .string()
    .min(1, 'name a model; GET /models lists them')
    .meta({ description: 'An id of `GET /models`, a trait such as `default`, or a name that is mapped to one.' }),
  input: Input.meta({ description: 'The question as text, or the conversation so far as items.' }),
  instructions: optional(z.string()).meta({ description: 'What the model is told before the conversation.' }),
  max_output_tokens: optional(z.int().min(1)).meta({
    description: 'The most that the model may write, thoughts included.',
  }),
  temperature: optional(z.number().min(0).max(2)).meta({
    description: 'How freely the model chooses: 0 always takes what is likeliest.',
  }),
  top_p: optional(z.number().min(0).max(1)).meta({
    description: 'Chooses among the likeliest tokens that together have this probability.',
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
  tools: optional(Tools).meta({
    description:
      'What the model may ask you to call, and what the service does for it. Kinds that are not known are passed over.',
  }),
  tool_choice: optional(Choice).meta({ description: 'Whether the model may, must or must not call a tool, or which.' }),
  parallel_tool_calls: optional(z.boolean()).meta({ description: 'Whether the model may call several tools at once.' }),
  text: optional(
    z.object({
      format: optional(Format).meta({ description: 'Asks for JSON, of any form or by a schema.' }),
      verbosity: optional(Verbosity).meta({ description: 'As `verbosity`.' }),
    }),
  ).meta({ description: 'How the answer is written.' }),
  web_search: optional(z.boolean()).meta({ description: 'As `enable_web_search` of `service_parameters`.' }),
  stream: optional(z.boolean()).meta({
    description: 'Sends the answer as it is written: [streaming](/docs/guides/streaming).',
  }),
  include: optional(z.array(z.string())).meta({ description: 'Taken, and goes no further.' }),
  fallbacks: optional(z.array(z.looseObject({ model: z.string().meta({ description: 'A model.' }) })).max(10)).meta({
    description: 'Taken, and goes no further: which models stand in is set by the operator.',
  }),
  prompt_cache_key: optional(z.string().max(1024)).meta({
    description: 'Requests with the same key are sent where their beginning may be cached.',
  }),
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
  ).meta({ description: 'What only this service has: the web, characters, thoughts.' }),
})
export type ResponsesRequest = z.output<typeof ResponsesRequest>

const count = z.int().min(0)
const status = z.enum(['in_progress', 'completed', 'incomplete'])

const Annotation = z.object({
  type: z.literal('url_citation'),
  url: z.string().meta({ description: 'The address of the source.' }),
  title: z.string().meta({ description: 'Its title.' }),
  start_index: count.meta({ description: 'The first character that it stands for.' }),
  end_index: count.meta({ description: 'The character after the last.' }),
})

const SummaryPart = z.object({ type: z.literal('summary_text'), text: z.string().meta({ description: 'The words.' }) })

const OutputItem = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('reasoning'),
    id: z.string().meta({ description: 'The item.' }),
    summary: z.array(SummaryPart).meta({ description: 'The thoughts of the model.' }),
    encrypted_content: z.string().optional().meta({ description: 'Thoughts as the model wants them back.' }),
  }),
  z.object({
    type: z.literal('web_search_call'),
    id: z.string().meta({ description: 'The item.' }),
    status: z.enum(['in_progress', 'completed', 'failed']).meta({ description: 'Whether it is complete.' }),
    action: z
      .object({ type: z.literal('search'), query: z.string().meta({ description: 'What was searched for.' }) })
      .meta({ description: 'What the search did.' }),
  }),
  z.object({
    type: z.literal('function_call'),
    id: z.string().meta({ description: 'The item.' }),
    call_id: z.string().meta({ description: 'The call. Name it in the item that answers it.' }),
    name: z.string().meta({ description: 'The name of the function.' }),
    arguments: z.string().meta({ description: 'Its arguments, as text of JSON.' }),
    status: status.meta({ description: 'Whether it is complete.' }),
  }),
  z.object({
    type: z.literal('message'),
    id: z.string().meta({ description: 'The item.' }),
    status: status.meta({ description: 'Whether it is complete.' }),
    role: z.literal('assistant'),
    content: z
      .array(
        z.object({
          type: z.literal('output_text'),
          text: z.string().meta({ description: 'The words.' }),
          annotations: z.array(Annotation).meta({ description: 'The sources that the words name.' }),
        }),
      )
      .meta({ description: 'The parts of the message.' }),
  }),
])

/** A response. Source: API contract, chat.md "POST /responses". */
export const ResponseObject = z.object({
  id: z.string().meta({ description: 'The response. The ledger names it too.' }),
  object: z.literal('response'),
  created_at: z.int().meta({ description: 'When, in Unix seconds.' }),
  model: z.string().meta({ description: 'The model that answered.' }),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']).meta({
    description: 'How far it is. A whole reply is complete, or incomplete where it was as long as it may be.',
  }),
  output: z
    .array(OutputItem)
    .meta({ description: 'What the model did, in order: thoughts, searches, calls, messages.' }),
  incomplete_details: z
    .object({ reason: z.literal('max_output_tokens') })
    .optional()
    .meta({ description: 'Why it is incomplete.' }),
  usage: z
    .object({
      input_tokens: count.meta({ description: 'Of all that the model read.' }),
      output_tokens: count.meta({ description: 'Of all that the model wrote, thoughts included.' }),
      total_tokens: count.meta({ description: 'The sum.' }),
      input_tokens_details: z
        .object({ cached_tokens: count.meta({ description: 'Read from a cache of the backend.' }) })
        .meta({ description: 'Tokens of the input that have another price.' }),
      output_tokens_details: z
        .object({ reasoning_tokens: count.meta({ description: 'Of thoughts.' }) })
        .meta({ description: 'What the written tokens were.' }),
    })
    .optional()
    .meta({ description: 'Tokens that were counted.' }),
  cost: Cost.optional().meta({ description: 'What was charged. Missing where nothing was.' }),
  service_parameters: ServiceParametersEcho.extend({
    web_search_status: web_search_status.meta({
      description:
        'How the web step ended: sources found, nothing found, failed, or not needed, where `auto` decided against it. Absent where the request asked for none.',
    }),
  })
    .optional()
    .meta({ description: 'The options that took effect, and what was found.' }),
  error: z
    .object({
      code: z.string().meta({ description: 'For programs.' }),
      message: z.string().meta({ description: 'For people: what is wrong, and what to do about it.' }),
    })
    .optional()
    .meta({ description: 'What ended it.' }),
})

const order = { sequence_number: count.meta({ description: 'Rises with each event.' }) }
const place = {
  ...order,
  output_index: count.meta({ description: 'Which item of `output` it is about.' }),
  item_id: z.string().meta({ description: 'The item that it is about.' }),
}
const summary = { ...place, summary_index: z.literal(0) }
const part = { ...place, content_index: z.literal(0) }

export const ResponseEvent = z.discriminatedUnion('type', [
  z.object({
    type: z
      .enum([
        'response.created',
        'response.in_progress',
        'response.completed',
        'response.incomplete',
        'response.failed',
      ])
      .meta({ description: 'What happened; the line `event:` says it too.' }),
    ...order,
    response: ResponseObject.meta({ description: 'The response as it is now.' }),
  }),
  z.object({
    type: z
      .enum(['response.output_item.added', 'response.output_item.done'])
      .meta({ description: 'What happened; the line `event:` says it too.' }),
    ...order,
    output_index: count.meta({ description: 'Which item of `output` it is about.' }),
    item: OutputItem.meta({ description: 'The item.' }),
  }),
  z.object({
    type: z
      .enum(['response.content_part.added', 'response.content_part.done'])
      .meta({ description: 'What happened; the line `event:` says it too.' }),
    ...part,
    part: z
      .object({
        type: z.literal('output_text'),
        text: z.string().meta({ description: 'The words.' }),
        annotations: z.array(Annotation).meta({ description: 'The sources that the words name.' }),
      })
      .meta({ description: 'The part.' }),
  }),
  z.object({
    type: z.literal('response.output_text.delta'),
    ...part,
    delta: z.string().meta({ description: 'What is new.' }),
  }),
  z.object({
    type: z.literal('response.output_text.done'),
    ...part,
    text: z.string().meta({ description: 'All words of the part.' }),
  }),
  z.object({
    type: z
      .enum(['response.reasoning_summary_part.added', 'response.reasoning_summary_part.done'])
      .meta({ description: 'What happened; the line `event:` says it too.' }),
    ...summary,
    part: SummaryPart.meta({ description: 'The part.' }),
  }),
  z.object({
    type: z.literal('response.reasoning_summary_text.delta'),
    ...summary,
    delta: z.string().meta({ description: 'What is new.' }),
  }),
  z.object({
    type: z.literal('response.reasoning_summary_text.done'),
    ...summary,
    text: z.string().meta({ description: 'All words of the part.' }),
  }),
  z.object({
    type: z.literal('response.function_call_arguments.delta'),
    ...place,
    delta: z.string().meta({ description: 'What is new.' }),
  }),
  z.object({
    type: z.literal('response.function_call_arguments.done'),
    ...place,
    name: z.string().meta({ description: 'The name of the function.' }),
    arguments: z.string().meta({ description: 'All arguments, as text of JSON.' }),
  }),
  z.object({
    type: z
      .enum(['response.web_search_call.in_progress', 'response.web_search_call.searching'])
      .meta({ description: 'What happened; the line `event:` says it too.' }),
    ...place,
  }),
  z.object({
    type: z.literal('response.web_search_call.completed'),
    ...place,
    results: ServiceParametersEcho.shape.web_search_citations.optional().meta({ description: 'What was found.' }),
  }),
])
