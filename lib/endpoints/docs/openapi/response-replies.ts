import { z } from 'zod'
import { Cost, ServiceParametersEcho, web_search_status } from '@/lib/endpoints/docs/openapi/chat-replies'

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
