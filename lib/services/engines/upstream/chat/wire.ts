import 'server-only'
import { createHash } from 'node:crypto'
import {
  type ChatMessage,
  type ChatRequest,
  type ChatTool,
  type ContentPart,
  contentText,
} from '@/lib/services/engines/engine'

export type WireOptions = {
  maxTokensField?: 'max_tokens' | 'max_completion_tokens'
  thinkingSwitch?: 'chat_template_kwargs' | 'reasoning_effort'
}

const MAX_BEST_OF = 10

/**
 * Fields outside the contract that self-hosted servers know and that only shape the output. Everything else is dropped:
 * a caller must not reach the server's addresses, headers, files or another model by an unchecked field.
 */
const FORWARDED = new Set([
  'logit_bias',
  'guided_json',
  'guided_regex',
  'guided_choice',
  'guided_grammar',
  'guided_decoding_backend',
  'guided_whitespace_pattern',
  'structured_outputs',
  'grammar',
  'chat_template_kwargs',
  'add_generation_prompt',
  'continue_final_message',
  'ignore_eos',
  'min_tokens',
  'length_penalty',
  'early_stopping',
  'include_stop_str_in_output',
  'skip_special_tokens',
  'spaces_between_special_tokens',
  'truncate_prompt_tokens',
  'bad_words',
  'allowed_token_ids',
  'typical_p',
  'tfs_z',
  'top_a',
  'mirostat',
  'mirostat_tau',
  'mirostat_eta',
  'dry_multiplier',
  'dry_base',
  'dry_allowed_length',
  'dry_penalty_last_n',
  'dry_sequence_breakers',
  'xtc_probability',
  'xtc_threshold',
  'repeat_penalty',
  'repeat_last_n',
  'dynatemp_range',
  'dynatemp_exponent',
  'smoothing_factor',
  'epsilon_cutoff',
  'eta_cutoff',
  'prediction',
  'safety_identifier',
])

/** Writes a request in the field's wire form, as bytes. A stream is asked for its usage; a whole answer has it anyway. */
export function wireBody(request: ChatRequest, options: WireOptions): Buffer {
  const { sampling } = request
  const forwarded: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(request.extra)) if (isForwarded(name, value)) forwarded[name] = value
  // One literal: V8 turns an object into a dictionary that so many fields are assigned to, and prints those slowly.
  const body = {
    ...forwarded,
    model: request.model,
    messages: wireMessages(request.messages),
    stream: !request.isWhole,
    stream_options: request.isWhole ? undefined : { include_usage: true },
    [options.maxTokensField ?? 'max_tokens']: request.bound === 'open' ? undefined : request.maxTokens,
    n: request.n > 1 ? request.n : undefined,
    stop: request.stop.length > 0 ? request.stop : undefined,
    stop_token_ids: request.stopTokenIds,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    min_p: sampling.minP,
    min_temp: sampling.minTemperature,
    max_temp: sampling.maxTemperature,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    repetition_penalty: sampling.repetitionPenalty,
    seed: sampling.seed,
    logprobs: request.logprobs ? true : undefined,
    top_logprobs: request.logprobs?.top,
    prompt_logprobs: request.promptLogprobs?.top,
    ...toolFields(request),
    response_format: request.responseFormat,
    // `auto` is what a server does that is told nothing, and most do not know the word.
    verbosity: request.verbosity === 'auto' ? undefined : request.verbosity,
    // The key names the account, which is nobody's business elsewhere. The scope stays here altogether.
    prompt_cache_key: request.cacheKey && createHash('sha256').update(request.cacheKey).digest('base64url'),
    // Both mean a day; this is the word that vendors know.
    prompt_cache_retention: ['extended', '24h'].includes(request.cacheRetention ?? '') ? '24h' : undefined,
    ...reasoningFields(request, options, forwarded.chat_template_kwargs),
  }
  return Buffer.from(JSON.stringify(body))
}

function toolFields({ tools, toolChoice, parallelToolCalls }: ChatRequest): object {
  if (!tools?.length) return {}
  return { tools: wireTools(tools), tool_choice: toolChoice, parallel_tool_calls: parallelToolCalls }
}

function reasoningFields({ reasoning }: ChatRequest, { thinkingSwitch }: WireOptions, template: unknown): object {
  if (reasoning === undefined) return {}
  const { effort, summary, isEnabled } = reasoning
  const isOff = isEnabled === false || effort === 'none'
  const hasTemplate = thinkingSwitch !== 'reasoning_effort'
  const isSwitched = hasTemplate && (isOff || isEnabled === true)
  return {
    ...(isSwitched && { chat_template_kwargs: { ...asObject(template), enable_thinking: !isOff, thinking: !isOff } }),
    ...(!(isOff && hasTemplate) && { reasoning_effort: isOff ? 'none' : effort }),
    // Only vendors that summarise know the object; it is sent to no server that was not asked for a summary.
    ...(summary !== undefined && !isOff && { reasoning: { effort, summary } }),
  }
}

function isForwarded(name: string, value: unknown): boolean {
  if (name === 'best_of') return typeof value === 'number' && value >= 1 && value <= MAX_BEST_OF
  return FORWARDED.has(name)
}

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {})

export function wireMessages(messages: ChatMessage[]): object[] {
  return messages.map(wireMessage)
}

function wireTools(tools: ChatTool[]): object[] {
  return tools.map(({ function: { name, description, parameters, strict } }) => ({
    type: 'function',
    function: { name, description, parameters, strict },
  }))
}

function wireMessage(message: ChatMessage): object {
  const { role, name } = message
  const content = wireContent(message)
  if (role === 'tool') return { role, content, tool_call_id: message.tool_call_id, name }
  if (role === 'assistant') {
    const { tool_calls: calls, reasoning_content, reasoning_details, thought_signature } = message
    return { role, content, tool_calls: calls, reasoning_content, reasoning_details, thought_signature, name }
  }
  // Most chat templates know no developer role; servers that do read `system` as the same.
  return { role: role === 'developer' ? 'system' : role, content, name }
}

/**
 * Writes plain text wherever parts say no more than text does: many chat templates take a string and nothing else, and
 * one common server makes a message of each part. An array where a part is an image, sound or video, or marks a prefix
 * for the cache.
 */
function wireContent(message: ChatMessage): string | object[] | null {
  const { content } = message
  if (content === null || typeof content === 'string') return content
  return content.every(isPlainText) ? contentText({ content }) : content.map(wirePart)
}

const isPlainText = (part: ContentPart): boolean => part.type === 'text' && part.cache_control === undefined

/** Drops the time to live: vendors that know one want a header with it, whose name differs. */
function wirePart(part: ContentPart): object {
  const cache = part.cache_control && { cache_control: { type: part.cache_control.type } }
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...cache }
    case 'image_url':
      return { type: 'image_url', image_url: { url: part.image_url.url }, ...cache }
    case 'input_audio':
      return {
        type: 'input_audio',
        input_audio: { data: part.input_audio.data, format: part.input_audio.format },
        ...cache,
      }
    case 'video_url':
      return { type: 'video_url', video_url: { url: part.video_url.url }, ...cache }
    case 'file':
      return { type: 'file', file: { filename: part.file.filename, file_data: part.file.file_data }, ...cache }
  }
}
