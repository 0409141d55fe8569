import 'server-only'
import type { ChatMessage, ChatRequest } from '@/lib/services/engines/engine'
import { wireMessages } from '@/lib/services/engines/upstream/chat/wire'
import { isWireObject, textOrUndefined, type WireObject } from '@/lib/services/engines/upstream/wire-value'

/**
 * Writes a request in the form of the Responses API, as bytes: vendors run their own search as tools of that API only.
 * `n`, `stop` and log probabilities have no place in it. Source: docs.x.ai, "Tools" (`web_search`, `x_search`).
 */
export function responsesBody(request: ChatRequest): Buffer {
  const { sampling, reasoning, responseFormat, tools = [], nativeSearch } = request
  const effort = reasoning?.isEnabled === false ? 'none' : reasoning?.effort
  const searches = (nativeSearch?.sources ?? []).map((source) => ({ type: `${source}_search` }))
  const functions = tools.map(({ function: { name, description, parameters, strict } }) => ({
    type: 'function',
    name,
    description,
    parameters,
    strict,
  }))
  return Buffer.from(
    JSON.stringify({
      model: request.model,
      input: request.messages.flatMap(inputItems),
      stream: true,
      store: false,
      max_output_tokens: request.bound === 'open' ? undefined : request.maxTokens,
      temperature: sampling.temperature,
      top_p: sampling.topP,
      tools: [...searches, ...functions],
      tool_choice:
        functions.length > 0 && typeof request.toolChoice === 'object' ? named(request.toolChoice) : undefined,
      parallel_tool_calls: request.parallelToolCalls,
      text: responseFormat && { format: formatOf(responseFormat) },
      reasoning:
        effort === undefined && reasoning?.summary === undefined ? undefined : { effort, summary: reasoning?.summary },
    }),
  )
}

const named = ({ function: { name } }: { function: { name: string } }) => ({ type: 'function', name })

function formatOf(format: NonNullable<ChatRequest['responseFormat']>): object {
  return format.type === 'json_schema' ? { type: 'json_schema', ...format.json_schema } : format
}

function inputItems(message: ChatMessage): object[] {
  const [wire] = wireMessages([message]) as [WireObject]
  if (message.role === 'tool') {
    return [{ type: 'function_call_output', call_id: message.tool_call_id, output: wire.content }]
  }
  const calls = (message.role === 'assistant' && message.tool_calls) || []
  const content = Array.isArray(wire.content) ? wire.content.map(inputPart) : wire.content
  return [
    ...(content ? [{ role: wire.role, content }] : []),
    ...calls.map((call) => ({ type: 'function_call', call_id: call.id, ...call.function })),
  ]
}

function inputPart(part: unknown): unknown {
  if (!isWireObject(part)) return part
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  if (part.type === 'image_url' && isWireObject(part.image_url)) {
    return { type: 'input_image', image_url: part.image_url.url }
  }
  // Sounds and videos have no form there: the vendor refuses them, and the request goes on without its search.
  return part
}

/** Reads the events of a Responses stream as chunks of a chat completion, so that one reader checks and counts both. */
export class ResponsesEvents {
  isOver = false
  readonly hasEnd = true
  readonly #pieced = new Set<unknown>()

  chunkOf(event: unknown): unknown {
    // Not an event of this form: a server that answers in chunks all the same.
    if (!isWireObject(event) || typeof event.type !== 'string') return event
    const piece = textOrUndefined(event.delta)
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return chunk({ content: piece })
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return chunk({ reasoning_content: piece })
      case 'response.output_text.annotation.added':
        return chunk({ annotations: [event.annotation] })
      case 'response.function_call_arguments.delta':
        this.#pieced.add(event.output_index)
        return call(event.output_index, { function: { arguments: piece } })
      case 'response.output_item.added':
        return begunCall(event)
      case 'response.output_item.done':
        return this.#pieced.has(event.output_index) ? undefined : wholeArguments(event)
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(event.response)
      case 'response.failed':
        return { error: (isWireObject(event.response) && event.response.error) || { message: 'failed' } }
      case 'error':
        return { error: event }
      default:
        return undefined
    }
  }

  #end(response: unknown): WireObject {
    this.isOver = true
    const { status, output, usage, citations } = isWireObject(response) ? response : ({} as WireObject)
    const reason = status === 'incomplete' ? 'length' : 'stop'
    return {
      choices: [{ index: 0, delta: { annotations: annotationsIn(output) }, finish_reason: reason }],
      citations,
      // A count of 0 beside cited sources is what vendors send that count their calls instead.
      usage: isWireObject(usage) ? { ...usage, num_sources_used: usage.num_sources_used || undefined } : undefined,
    }
  }
}

const chunk = (delta: WireObject): WireObject => ({ choices: [{ index: 0, delta, finish_reason: null }] })
const call = (index: unknown, fields: WireObject): WireObject => chunk({ tool_calls: [{ index, ...fields }] })

function begunCall({ item, output_index: index }: WireObject): WireObject | undefined {
  if (!isWireObject(item) || item.type !== 'function_call') return undefined
  return call(index, { id: item.call_id, type: 'function', function: { name: item.name, arguments: '' } })
}

function wholeArguments({ item, output_index: index }: WireObject): WireObject | undefined {
  if (!isWireObject(item) || item.type !== 'function_call') return undefined
  return call(index, { function: { arguments: item.arguments } })
}

function annotationsIn(output: unknown): unknown[] {
  const list = (value: unknown) => (Array.isArray(value) ? value.filter(isWireObject) : [])
  return list(output)
    .flatMap(({ content }) => list(content))
    .flatMap(({ annotations }) => list(annotations))
}
