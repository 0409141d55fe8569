import 'server-only'
import { HELD_CHARS_PER_TOKEN, HELD_TOKENS_PER_EXTRA_BYTE } from '@/lib/contract/estimates'
import type { ChatEngine, ChatEvent, ChatRequest } from '@/lib/services/engines/engine'
import { Answer } from '@/lib/services/engines/upstream/chat/answer'
import { anthropicForm } from '@/lib/services/engines/upstream/chat/anthropic/request'
import { googleForm } from '@/lib/services/engines/upstream/chat/google/request'
import { nativeAsks } from '@/lib/services/engines/upstream/chat/native/form'
import { responsesBody } from '@/lib/services/engines/upstream/chat/responses-wire'
import { type WireOptions, wireBody } from '@/lib/services/engines/upstream/chat/wire'
import { createUpstreamClient, type UpstreamOptions } from '@/lib/services/engines/upstream/http-client'
import type { EngineKind } from '@/lib/services/engines/upstream/kinds'
import type { Ask } from '@/lib/services/engines/upstream/retry'

export type UpstreamChatOptions = UpstreamOptions &
  WireOptions & {
    promptLogprobs?: boolean
  }

const HEADERS = ['content-type', 'application/json', 'accept', 'text/event-stream']

const ASKS: Record<EngineKind, (options: UpstreamChatOptions) => (request: ChatRequest) => Ask<ChatEvent[]>> = {
  openai: openaiAsks,
  anthropic: ({ name }) => nativeAsks(anthropicForm, name),
  google: ({ name }) => nativeAsks(googleForm, name),
}

/**
 * Creates a chat engine of one server, or several, that speak the form of `kind`. A failure before the first event is tried again,
 * twice at most and on another base URL where there is one; a later one is not.
 */
export function createUpstreamChatEngine(options: UpstreamChatOptions): ChatEngine {
  const client = createUpstreamClient(options)
  const askFor = ASKS[options.kind ?? 'openai'](options)

  function streamBatches(asked: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent[], void, void> {
    const request = options.promptLogprobs && !asked.nativeSearch ? asked : { ...asked, promptLogprobs: undefined }
    return client.read(askFor(request), signal)
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

function openaiAsks(options: UpstreamChatOptions): (request: ChatRequest) => Ask<ChatEvent[]> {
  return (request) => {
    const [path, bodyOf] = request.nativeSearch
      ? (['/responses', responsesBody] as const)
      : (['/chat/completions', wireBody] as const)
    let body: Buffer | undefined
    let isLimitReported = request.bound !== 'open'
    return {
      call() {
        body ??= bodyOf(request, options)
        return { path, headers: HEADERS, body }
      },
      read: (exchange, options) => new Answer(exchange, request, options),
      cacheKey: request.cacheKey,
      begin: (batch, retries) => [{ type: 'route', router: options.name, retries }, ...(batch ?? [])],
      mend({ reason }) {
        if (reason !== 'context-overflow' || !isLimitReported || request.bound === 'firm') return false
        isLimitReported = false
        body = bodyOf({ ...request, bound: 'open' }, options)
        return true
      },
    }
  }
}

/**
 * Estimates tokens without a tokenizer: an upper estimate for usual text of any script, linear in its length. Real
 * tokenizers need about 4 characters of English a token, 3 of code, and 0.7 to 1.3 tokens a CJK character.
 */
export function estimateTokens(text: string): number {
  const extraBytes = Buffer.byteLength(text) - text.length
  return Math.ceil(text.length / HELD_CHARS_PER_TOKEN + extraBytes * HELD_TOKENS_PER_EXTRA_BYTE)
}
