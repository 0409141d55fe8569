import type { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import type { CharacterPrompt } from '@/lib/services/characters/catalogue'
import { type ChatMessage, type ContentPart, textOf } from '@/lib/services/engines/engine'

/** What a conversation begins with, unless the caller switches it off or the model has one that suits it better. */
export const SERVICE_SYSTEM_PROMPT =
  'You are a helpful assistant. Answer plainly and in the language of the question. Say so when you do not know.'

type Body = ChatCompletionRequest['messages'][number]
/** A message whose media were fetched and read: what is left are parts that an engine takes. */
export type ReadMessage =
  | Exclude<Body, { role: 'user' }>
  | (Omit<Extract<Body, { role: 'user' }>, 'content'> & { content: string | ContentPart[] })

export type PromptOptions = {
  includesServicePrompt: boolean
  /** The model's own, in place of the service's. */
  servicePrompt?: string
  character?: CharacterPrompt
}

/**
 * The conversation as the engine gets it: the service's own system prompt, then the character's, then the caller's, all
 * in one message (many chat templates take one system message, and only at the start). A character with a prompt of its
 * own kind does without the service's. Assistant turns that say nothing and call nothing are left out. Source: API
 * contract, chat.md 2 and characters.md "Effect in chat".
 */
export function buildPrompt(
  messages: ReadMessage[],
  { includesServicePrompt, servicePrompt = SERVICE_SYSTEM_PROMPT, character }: PromptOptions,
): ChatMessage[] {
  const prompt = messages.filter(saysSomething).map(toEngineMessage)
  const isServed = includesServicePrompt && !character?.replacesServicePrompt
  const ahead = [isServed ? servicePrompt : '', character?.systemPrompt ?? ''].filter((text) => text !== '')
  const [first, ...rest] = prompt
  const isSystem = first?.role === 'system' || first?.role === 'developer'
  const turns = [...(character?.context ?? []), ...(isSystem ? rest : prompt)]
  if (ahead.length === 0) return isSystem ? [first, ...turns] : turns
  const text = ahead.join('\n\n')
  if (!isSystem) return [{ role: 'system', content: text }, ...turns]
  const content =
    typeof first.content === 'string'
      ? `${text}\n\n${first.content}`
      : [{ type: 'text' as const, text: `${text}\n\n` }, ...first.content]
  return [{ ...first, content }, ...turns]
}

/** The same conversation with `text` before what the last question says: where a model looks when it answers. */
export function withFindings(messages: ReadMessage[], text: string): ReadMessage[] {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const question = messages[at]
  if (question?.role !== 'user') return messages
  const content: ContentPart[] =
    typeof question.content === 'string' ? [{ type: 'text', text: question.content }] : question.content
  return messages.with(at, { ...question, content: [{ type: 'text', text: `${text}\n\n` }, ...content] })
}

function saysSomething(message: ReadMessage): boolean {
  if (message.role !== 'assistant') return true
  const hasText = typeof message.content === 'string' ? message.content !== '' : (message.content?.length ?? 0) > 0
  return hasText || (message.tool_calls?.length ?? 0) > 0
}

/** Drops absent fields, so that an engine prints what was sent and nothing else. */
function toEngineMessage(message: ReadMessage): ChatMessage {
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
  const content = textOf(message)
  if (message.role !== 'assistant' || !message.tool_calls) return content
  return `${content}${message.tool_calls.map((call) => call.function.name + call.function.arguments).join('')}`
}
