import 'server-only'
import type { ChatEngine, ChatEvent, ChatRequest } from '@/lib/services/engines/engine'
import { Answer } from '@/lib/services/engines/upstream/chat/answer'
import { responsesBody } from '@/lib/services/engines/upstream/chat/responses-wire'
import { type WireOptions, wireBody } from '@/lib/services/engines/upstream/chat/wire'
import { type Ask, createUpstreamClient, type UpstreamOptions } from '@/lib/services/engines/upstream/http-client'

export type UpstreamChatOptions = UpstreamOptions &
  WireOptions & {
    /** The servers report how likely the tokens of a prompt were (vLLM). Others refuse the field, so it is not sent to them. */
    promptLogprobs?: boolean
  }

const HEADERS = ['content-type', 'application/json', 'accept', 'text/event-stream']

/**
 * A chat engine that is an OpenAI-compatible server, or several of them. What fails before the first event is tried
 * again, twice at most and on another base URL where there is one; after it, nothing is.
 */
export function createUpstreamChatEngine(options: UpstreamChatOptions): ChatEngine {
  const client = createUpstreamClient(options)

  function streamBatches(asked: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent[], void, void> {
    const request = options.promptLogprobs && !asked.nativeSearch ? asked : { ...asked, promptLogprobs: undefined }
    return client.read(askFor(request), signal)
  }

  function askFor(request: ChatRequest): Ask<ChatEvent[]> {
    const [path, bodyOf] = request.nativeSearch
      ? (['/responses', responsesBody] as const)
      : (['/chat/completions', wireBody] as const)
    let body: Buffer | undefined
    let isBoundTold = request.bound !== 'open'
    return {
      call() {
        body ??= bodyOf(request, options)
        return { path, headers: HEADERS, body }
      },
      read: (exchange, reading) => new Answer(exchange, request, reading),
      cacheKey: request.cacheKey,
      begin: (batch, retries) => [{ type: 'route', router: options.name, retries }, ...(batch ?? [])],
      /** Prompt and bound did not fit together, and nobody but us asked for that bound: the prompt alone may fit. */
      mend({ reason }) {
        if (reason !== 'context-overflow' || !isBoundTold || request.bound === 'firm') return false
        isBoundTold = false
        body = bodyOf({ ...request, bound: 'open' }, options)
        return true
      },
    }
  }

  return {
    streamBatches,
    async *stream(request, signal) {
      for await (const batch of streamBatches(request, signal)) yield* batch
    },
    countTokens: estimateTokens,
    close: client.close,
  }
}

/** Characters a token of English text or code has, on the low side, so that the estimate is on the high side. */
const CHARACTERS_PER_TOKEN = 3.5
/** What each byte beyond the first of a character adds: a CJK character is more than a token, an accented letter half of one. */
const TOKENS_PER_EXTRA_BYTE = 0.5

/**
 * Tokens of a text without a tokenizer: an upper estimate for usual text of any script, linear in its length. Real
 * tokenizers need about 4 characters of English a token, 3 of code, and 0.7 to 1.3 tokens a CJK character.
 */
export function estimateTokens(text: string): number {
  const extraBytes = Buffer.byteLength(text) - text.length
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN + extraBytes * TOKENS_PER_EXTRA_BYTE)
}
