import 'server-only'
import { HELD_CHARS_PER_TOKEN, HELD_TOKENS_PER_EXTRA_BYTE } from '@/lib/contract/estimates'
import type { ChatEngine, ChatEvent, ChatRequest } from '@/lib/services/engines/engine'
import { anthropicForm } from '@/lib/services/engines/upstream/chat/anthropic/request'
import { googleForm } from '@/lib/services/engines/upstream/chat/google/request'
import { nativeAsks } from '@/lib/services/engines/upstream/chat/native-form'
import { Answer } from '@/lib/services/engines/upstream/chat/reply-reader'
import { responsesBody } from '@/lib/services/engines/upstream/chat/responses-wire'
import { type WireOptions, wireBody } from '@/lib/services/engines/upstream/chat/wire'
import { type Ask, createUpstreamClient, type UpstreamOptions } from '@/lib/services/engines/upstream/http-client'
import type { EngineKind } from '@/lib/services/engines/upstream/kinds'

export type UpstreamChatOptions = UpstreamOptions &
  WireOptions & {
    promptLogprobs?: boolean
  }

const STREAM_HEADERS = ['content-type', 'application/json', 'accept', 'text/event-stream']
const WHOLE_HEADERS = ['content-type', 'application/json', 'accept', 'application/json']
/** How long a model is asked for streams alone after it did badly with a whole answer. */
const STREAMED_MS = 600_000
/** What servers say that answer in streams only, whatever they call the field. */
const STREAMS_ONLY = /stream/i

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
    const hasPromptLogprobs = options.promptLogprobs && !asked.nativeSearch
    return client.read(askFor(hasPromptLogprobs ? asked : { ...asked, promptLogprobs: undefined }), signal)
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

/**
 * Makes the calls of an engine that speaks the OpenAI form. Where a whole answer is wanted, one body is asked for first
 * and a stream if that fails; a model that refuses whole answers, is late with them or does not count them is asked for
 * streams for a while. Prompt log probabilities never stream: vLLM refuses to.
 */
function openaiAsks(options: UpstreamChatOptions): (request: ChatRequest) => Ask<ChatEvent[]> {
  const streamedUntil = new Map<string, number>()

  const streamsNow = (model: string) => (streamedUntil.get(model) ?? 0) > performance.now()
  const streamFromNowOn = (model: string) => void streamedUntil.set(model, performance.now() + STREAMED_MS)

  return (request) => {
    const { model, nativeSearch } = request
    const [path, bodyOf] = nativeSearch
      ? (['/responses', responsesBody] as const)
      : (['/chat/completions', wireBody] as const)
    const mayStream = request.promptLogprobs === undefined
    const isWhole = !mayStream || (request.isWhole === true && !nativeSearch && !streamsNow(model))
    let asked = { ...request, isWhole }
    let body: Buffer | undefined

    function change(fields: Partial<ChatRequest>): void {
      asked = { ...asked, ...fields }
      body = undefined
    }

    return {
      call() {
        body ??= bodyOf(asked, options)
        return { path, headers: asked.isWhole ? WHOLE_HEADERS : STREAM_HEADERS, body }
      },
      read: (exchange, options) => new Answer(exchange, asked, options),
      cacheKey: request.cacheKey,
      begin(batch = [], retries) {
        const isUncounted = !batch.some(({ type }) => type === 'usage')
        if (asked.isWhole && mayStream && isUncounted) streamFromNowOn(model)
        return [{ type: 'route', router: options.name, retries }, ...batch]
      },
      mend({ reason, status, message }) {
        const isRefused = reason === 'invalid-request' && STREAMS_ONLY.test(message)
        const isBroken = reason === 'timeout' || (reason === 'failed' && status === undefined)
        if (asked.isWhole && mayStream && (isRefused || isBroken)) {
          streamFromNowOn(model)
          change({ isWhole: false })
          return isRefused
        }
        if (reason !== 'context-overflow' || asked.bound !== undefined) return false
        change({ bound: 'open' })
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
