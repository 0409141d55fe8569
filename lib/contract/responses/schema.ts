import { z } from 'zod'
import { Effort, optional, ServiceParameters, Verbosity } from '@/lib/contract/chat.schema'
import { Input } from '@/lib/contract/responses/items'
import { Choice, Tools } from '@/lib/contract/responses/tools'

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
