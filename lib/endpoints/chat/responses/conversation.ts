import { ApiError } from '@/lib/contract/errors'
import type { ResponsesItem, ResponsesPart, ResponsesRequest } from '@/lib/contract/responses.schema'
import { EngineError } from '@/lib/services/engines/engine'

type ChatPart = { type: string } & Record<string, unknown>
type Content = string | ChatPart[] | null
type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } }
type AssistantMessage = { role: 'assistant'; content: Content; tool_calls?: ToolCall[] }
type Message = AssistantMessage | { role: string; content: Content; tool_call_id?: string }

type CallItem = Extract<ResponsesItem, { type: 'function_call' }>
type MessageItem = Extract<ResponsesItem, { role: string }>

/**
 * Converts items to chat messages and records where each came from. Consecutive assistant items (text and calls) become
 * one message, as chat templates expect.
 */
export function conversationOf(
  { input, instructions }: Pick<ResponsesRequest, 'input' | 'instructions'>,
  places: Places,
): Message[] {
  const messages: Message[] = []
  let turn: AssistantMessage | undefined

  function add<Added extends Message>(message: Added, place: Place): Added {
    const at = messages.push(message) - 1
    places.set(`messages.${at}`, place)
    return message
  }

  function addCall(item: CallItem, place: Place): void {
    turn ??= add<AssistantMessage>({ role: 'assistant', content: null }, place)
    turn.tool_calls ??= []
    const index = turn.tool_calls.push({
      id: item.call_id,
      type: 'function',
      function: { name: item.name, arguments: item.arguments },
    })
    const at = `messages.${messages.length - 1}.tool_calls.${index - 1}`
    places
      .set(at, place)
      .set(`${at}.function`, place)
      .set(`${at}.id`, [...place, 'call_id'])
  }

  function addAnswer(item: MessageItem, place: Place): void {
    const content = answerContent(item.content)
    // A text that goes with a call belongs to its message; texts without one stay apart.
    if (!turn?.tool_calls) {
      turn = add<AssistantMessage>({ role: 'assistant', content }, place)
      return
    }
    places.set(`messages.${messages.length - 1}.content`, [...place, 'content'])
    turn.content = joined(turn.content, content)
  }

  function addItem(item: ResponsesItem, place: Place): void {
    if (item.type === 'function_call') addCall(item, place)
    else if (item.type === 'function_call_output') {
      turn = undefined
      const content = contentOf(item.output, [...place, 'output'], messages.length, places)
      add({ role: 'tool', tool_call_id: item.call_id, content }, place)
    } else if ('role' in item && item.role === 'assistant') addAnswer(item, place)
    else if ('role' in item) {
      turn = undefined
      const content = contentOf(item.content, [...place, 'content'], messages.length, places)
      add({ role: item.role, content }, place)
    }
  }

  if (instructions) {
    add({ role: 'system', content: instructions }, ['instructions'])
    places.set('messages.0.content', ['instructions'])
  }
  if (typeof input === 'string') {
    places.set(`messages.${messages.length}.content`, ['input'])
    add({ role: 'user', content: input }, ['input'])
  } else {
    for (const [index, item] of input.entries()) addItem(item, ['input', index])
  }
  return messages
}

type ItemContent = string | ResponsesPart[]

function contentOf(content: ItemContent, place: Place, message: number, places: Places): Content {
  const at = `messages.${message}.content`
  places.set(at, place)
  if (typeof content === 'string') return content
  return content.map((part, index) => chatPart(part, [...place, index], `${at}.${index}`, places))
}

function answerContent(content: ItemContent): Content {
  if (typeof content === 'string') return content
  const texts = content.flatMap((part) => ('text' in part && part.text ? [textPart(part.text)] : []))
  return texts.length > 0 ? texts : ''
}

function joined(first: Content, second: Content): Content {
  if (!first || !second) return first || second
  return [...partsOf(first), ...partsOf(second)]
}

const partsOf = (content: string | ChatPart[]): ChatPart[] =>
  typeof content === 'string' ? [textPart(content)] : content

const textPart = (text: string): ChatPart => ({ type: 'text', text })

function chatPart(part: ResponsesPart, place: Place, at: string, places: Places): ChatPart {
  if (part.type === 'input_audio') return { ...part }
  if (part.type === 'input_file') {
    const { file_data, file_url, filename } = part
    const source = file_data === undefined ? 'file_url' : 'file_data'
    places.set(`${at}.file`, place).set(`${at}.file.file_data`, [...place, source])
    return { type: 'file', file: { file_data: file_data ?? file_url, filename } }
  }
  if ('text' in part && part.text !== undefined) return textPart(part.text)
  const url = 'image_url' in part ? part.image_url : undefined
  if (typeof url !== 'string') return { type: 'image_url', image_url: url }
  places.set(`${at}.image_url.url`, [...place, 'image_url'])
  return { type: 'image_url', image_url: { url } }
}

export type Place = (string | number)[]

/** Maps path prefixes of the chat request (joined by dots) to those of the caller's own body. */
export type Places = Map<string, Place>

export const FIELD_PLACES: readonly [string, Place][] = [
  ['messages', ['input']],
  ['max_completion_tokens', ['max_output_tokens']],
  ['response_format', ['text', 'format']],
  ['response_format.json_schema', ['text', 'format']],
  ['verbosity', ['text', 'verbosity']],
]

export function inCallersTerms(thrown: unknown, places: Places): unknown {
  const isOverflow =
    (thrown instanceof ApiError && thrown.code === 'context_length_exceeded') ||
    (thrown instanceof EngineError && thrown.reason === 'context-overflow')
  if (isOverflow) return contextOverflow(thrown)
  if (!(thrown instanceof ApiError && thrown.issues)) return thrown
  const { retryAfterSeconds, headers, body, cause } = thrown
  const issues = thrown.issues.map((issue) => ({ ...issue, path: placeOf(issue.path, places) }))
  return new ApiError(thrown.code, thrown.message, { retryAfterSeconds, headers, body, cause, issues })
}

export function placeOf(path: Place, places: Places): Place {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(path.slice(0, length).join('.'))
    if (place) return [...place, ...path.slice(length)]
  }
  return path
}

function contextOverflow(cause: ApiError | EngineError): ApiError {
  const code = 'context_length_exceeded'
  const { message } = cause
  return new ApiError(code, message, {
    cause,
    body: { error: { message, type: 'invalid_request_error', param: 'input', code } },
  })
}
