import 'server-only'
import { createHash } from 'node:crypto'
import type { ChatMessage, ChatRequest } from '@/lib/engines/engine'

export type WireOptions = {
  /** How the server calls the bound on output. `max_tokens` is what all self-hosted servers take. */
  maxTokensField?: 'max_tokens' | 'max_completion_tokens'
  /** How the server turns thinking off: by the chat template (vLLM, SGLang, llama.cpp) or by effort `none` (Ollama). */
  thinkingSwitch?: 'chat_template_kwargs' | 'reasoning_effort'
}

const MAX_BEST_OF = 10

/**
 * Fields outside the contract that self-hosted servers know and that only shape the output. Everything else is dropped:
 * a caller must not reach the server's addresses, headers, files or another model by a field that we do not look at.
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

/**
 * A request in the field's wire form, as bytes. It always streams and always asks for usage: the non-streaming answer
 * is the stream collected.
 */
export function wireBody(request: ChatRequest, options: WireOptions): Buffer {
  const { sampling, reasoning } = request
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(request.extra)) if (isForwarded(name, value)) body[name] = value
  Object.assign(body, {
    model: request.model,
    messages: request.messages.map(wireMessage),
    stream: true,
    stream_options: { include_usage: true },
    [options.maxTokensField ?? 'max_tokens']: request.maxTokens,
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
    tools: request.tools?.length ? request.tools : undefined,
    tool_choice: request.tools?.length ? request.toolChoice : undefined,
    parallel_tool_calls: request.tools?.length ? request.parallelToolCalls : undefined,
    response_format: request.responseFormat,
    verbosity: request.verbosity,
    // The key names the account, which is nobody's business elsewhere.
    prompt_cache_key: request.cacheKey && createHash('sha256').update(request.cacheKey).digest('base64url'),
    prompt_cache_retention: request.cacheRetention === 'default' ? undefined : request.cacheRetention,
  })
  const isThinkingOff = reasoning?.isEnabled === false || reasoning?.effort === 'none'
  if (isThinkingOff && options.thinkingSwitch !== 'reasoning_effort') {
    body.chat_template_kwargs = { ...asObject(body.chat_template_kwargs), enable_thinking: false, thinking: false }
  } else {
    body.reasoning_effort = isThinkingOff ? 'none' : reasoning?.effort
  }
  return Buffer.from(JSON.stringify(body))
}

/** `best_of` makes the server generate more than it counts, so it is bounded as `n` is. */
function isForwarded(name: string, value: unknown): boolean {
  if (name === 'best_of') return typeof value === 'number' && value >= 1 && value <= MAX_BEST_OF
  return FORWARDED.has(name)
}

/** Most chat templates know no developer role; servers that do read `system` as the same. */
function wireMessage(message: ChatMessage): ChatMessage {
  return message.role === 'developer' ? { ...message, role: 'system' } : message
}

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {})
