import type { ChatCompletionRequest } from '@/lib/chat/schema'
import type { ChatMessage } from '@/lib/engines/engine'

/** What every conversation begins with, unless the caller switches it off. Short: small models read it too. */
export const SERVICE_SYSTEM_PROMPT =
  'You are a helpful assistant. Answer plainly and in the language of the question. Say so when you do not know.'

type Body = ChatCompletionRequest['messages'][number]
/** A message whose parts are all text: media parts were refused or turned into text before. */
export type TextMessage =
  | Exclude<Body, { role: 'user' }>
  | (Extract<Body, { role: 'user' }> & { content: ChatMessage['content'] })

/**
 * The conversation as the engine gets it: the service's own system prompt first, the caller's appended to it in the
 * same message (many chat templates take one system message, and only at the start). Assistant turns that say nothing
 * and call nothing are left out (contract, chat.md 2).
 */
export function buildPrompt(messages: TextMessage[], options: { includesServicePrompt: boolean }): ChatMessage[] {
  const prompt = messages.filter(saysSomething).map(toEngineMessage)
  if (!options.includesServicePrompt) return prompt
  const [first, ...rest] = prompt
  if (first?.role !== 'system' && first?.role !== 'developer')
    return [{ role: 'system', content: SERVICE_SYSTEM_PROMPT }, ...prompt]
  const content =
    typeof first.content === 'string'
      ? `${SERVICE_SYSTEM_PROMPT}\n\n${first.content}`
      : [{ type: 'text' as const, text: `${SERVICE_SYSTEM_PROMPT}\n\n` }, ...first.content]
  return [{ ...first, content }, ...rest]
}

function saysSomething(message: TextMessage): boolean {
  if (message.role !== 'assistant') return true
  const hasText = typeof message.content === 'string' ? message.content !== '' : (message.content?.length ?? 0) > 0
  return hasText || (message.tool_calls?.length ?? 0) > 0
}

/** Drops absent fields, so that an engine prints what was sent and nothing else. */
function toEngineMessage(message: TextMessage): ChatMessage {
  const kept = Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined))
  if (message.role === 'assistant' && message.content === undefined) kept.content = null
  // The filter above only removed what the type marks optional.
  return kept as ChatMessage
}

/** All text of a conversation, for counting tokens where the engine did not say. */
export function promptText(messages: ChatMessage[]): string {
  return messages.map(messageText).join('\n')
}

function messageText(message: ChatMessage): string {
  const content =
    typeof message.content === 'string' ? message.content : (message.content ?? []).map((part) => part.text).join('\n')
  if (message.role !== 'assistant' || !message.tool_calls) return content
  return `${content}${message.tool_calls.map((call) => call.function.name + call.function.arguments).join('')}`
}
