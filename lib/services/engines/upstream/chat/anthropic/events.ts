import 'server-only'
import type { ChunkDecoder } from '@/lib/services/engines/upstream/chat/reply-reader'
import { isWireObject, textOrUndefined, type WireObject } from '@/lib/services/engines/upstream/wire-value'

/** Marks reasoning details as thinking blocks of this form. Source: openrouter.ai, "Reasoning tokens". */
export const THINKING_FORMAT = 'anthropic-claude-v1'

/** A block under way: the text of a thought is kept, because its signature is for all of it. */
type Block = { type: unknown; text: string; signature: string; isAnswer: boolean; hasInput: boolean; input: unknown }

/** Reads the events of a streamed message, or a whole message, as chunks of a chat completion. */
export class AnthropicEvents implements ChunkDecoder {
  isOver = false
  hasEnd = false
  readonly #answerTool?: string
  readonly #blocks = new Map<unknown, Block>()
  readonly #usage: WireObject = {}
  #hasOutput = false

  /** @param answerTool the tool whose arguments are the answer's text. */
  constructor(answerTool?: string) {
    this.#answerTool = answerTool
  }

  chunkOf(event: unknown): unknown {
    if (!isWireObject(event)) return undefined
    switch (event.type) {
      case 'message_start':
        if (isWireObject(event.message)) this.#count(event.message.usage)
        return undefined
      case 'content_block_start':
        return this.#begin(event.index, event.content_block)
      case 'content_block_delta':
        return this.#continue(event.index, event.delta)
      case 'content_block_stop':
        return this.#finish(event.index)
      case 'message_delta':
        this.#count(event.usage)
        return isWireObject(event.delta) ? this.#end(event.delta) : undefined
      case 'message_stop':
        this.isOver = true
        return undefined
      case 'message':
        return this.#whole(event)
      case 'error':
        return { error: isWireObject(event.error) ? event.error : { message: 'failed' } }
      default:
        return undefined
    }
  }

  #begin(index: unknown, value: unknown): WireObject | undefined {
    if (!isWireObject(value)) return undefined
    const { type, id, name, input } = value
    const isAnswer = type === 'tool_use' && name === this.#answerTool
    const block: Block = { type, text: '', signature: '', isAnswer, hasInput: false, input }
    this.#blocks.set(index, block)
    if (type === 'text') return this.#say({ content: textOrUndefined(value.text) })
    if (type === 'tool_use' && !isAnswer) return this.#call(index, { id, function: { name, arguments: '' } })
    if (type === 'thinking') {
      block.signature = textOrUndefined(value.signature) ?? ''
      return this.#think(block, textOrUndefined(value.thinking) ?? '')
    }
    if (type !== 'redacted_thinking') return undefined
    return this.#say({ reasoning_details: [detail('reasoning.encrypted', { data: value.data, index })] })
  }

  #continue(index: unknown, delta: unknown): WireObject | undefined {
    if (!isWireObject(delta)) return undefined
    const block = this.#blocks.get(index)
    switch (delta.type) {
      case 'text_delta':
        return this.#say({ content: delta.text })
      case 'thinking_delta':
        return block && this.#think(block, textOrUndefined(delta.thinking) ?? '')
      case 'signature_delta':
        if (block) block.signature += textOrUndefined(delta.signature) ?? ''
        return undefined
      case 'input_json_delta':
        return block && this.#input(index, block, textOrUndefined(delta.partial_json) ?? '')
      default:
        return undefined
    }
  }

  #think(block: Block, text: string): WireObject | undefined {
    block.text += text
    return text === '' ? undefined : this.#say({ reasoning_content: text })
  }

  #input(index: unknown, block: Block, text: string): WireObject | undefined {
    if (text === '' || block.type !== 'tool_use') return undefined
    block.hasInput = true
    return block.isAnswer ? this.#say({ content: text }) : this.#call(index, { function: { arguments: text } })
  }

  #finish(index: unknown): WireObject | undefined {
    const block = this.#blocks.get(index)
    this.#blocks.delete(index)
    if (block?.type === 'tool_use' && !block.hasInput) {
      return this.#input(index, block, JSON.stringify(isWireObject(block.input) ? block.input : {}))
    }
    if (block?.type !== 'thinking' || block.signature === '') return undefined
    const { text, signature } = block
    return this.#say({ reasoning_details: [detail('reasoning.text', { text, signature, index })] })
  }

  #end({ stop_reason: reason, stop_details: details }: WireObject): WireObject | undefined {
    if (reason == null) return undefined
    this.hasEnd = true
    if (reason === 'refusal' && !this.#hasOutput) {
      const category = isWireObject(details) ? textOrUndefined(details.category) : undefined
      return { error: { code: 'content_policy', type: category, message: 'refused' } }
    }
    return { ...chunk({}, finishReason(reason)), usage: this.#usageOf() }
  }

  #whole(message: WireObject): WireObject | undefined {
    this.#count(message.usage)
    const content = Array.isArray(message.content) ? message.content : []
    const deltas = content.flatMap((block, index) => [this.#begin(index, block), this.#finish(index)])
    const end = this.#end(message)
    if (end?.error) return end
    return {
      choices: [...deltas, end].flatMap((one) => (Array.isArray(one?.choices) ? one.choices : [])),
      ...usageIn(end),
    }
  }

  #say(delta: WireObject): WireObject {
    this.#hasOutput ||= textOrUndefined(delta.content) !== undefined || delta.tool_calls !== undefined
    return chunk(delta)
  }

  #call(index: unknown, fields: WireObject): WireObject {
    return this.#say({ tool_calls: [{ index, ...fields }] })
  }

  /** What a later event counts is the whole up to there; what it leaves out stands as it was. */
  #count(usage: unknown): void {
    if (!isWireObject(usage)) return
    for (const [name, value] of Object.entries(usage)) if (value != null) this.#usage[name] = value
  }

  /** The field's input tokens include what was read from the cache and written to it; here they do not. */
  #usageOf(): WireObject {
    const { input_tokens: input, output_tokens: output, output_tokens_details: details } = this.#usage
    const { cache_read_input_tokens: cached = 0, cache_creation_input_tokens: written = 0 } = this.#usage
    const parts = [input, cached, written]
    const isCounted = parts.every((part) => typeof part === 'number' && part >= 0)
    return {
      prompt_tokens: isCounted ? parts.reduce<number>((sum, part) => sum + Number(part), 0) : undefined,
      completion_tokens: output,
      prompt_tokens_details: { cached_tokens: cached, cache_creation_input_tokens: written },
      completion_tokens_details: { reasoning_tokens: isWireObject(details) ? details.thinking_tokens : undefined },
    }
  }
}

const chunk = (delta: WireObject, finish: string | null = null): WireObject => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
})

const detail = (type: string, fields: WireObject): WireObject => ({ type, ...fields, format: THINKING_FORMAT })

const usageIn = (end: WireObject | undefined): WireObject => (end?.usage === undefined ? {} : { usage: end.usage })

/** What a tool was called for is known by its calls: the answer's own tool is none. */
function finishReason(reason: unknown): string {
  return reason === 'max_tokens' || reason === 'model_context_window_exceeded' ? 'length' : 'stop'
}
