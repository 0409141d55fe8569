import type { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import type { CharacterPrompt } from '@/lib/services/characters/catalogue'
import { type ChatMessage, type ContentPart, contentText } from '@/lib/services/engines/engine'

export const SERVICE_SYSTEM_PROMPT =
  'You are a helpful assistant. Answer plainly and in the language of the question. Say so when you do not know.'

type Body = ChatCompletionRequest['messages'][number]
export type ReadMessage =
  | Exclude<Body, { role: 'user' }>
  | (Omit<Extract<Body, { role: 'user' }>, 'content'> & { content: string | ContentPart[] })

type PromptOptions = {
  includesServicePrompt: boolean
  servicePrompt?: string
  character?: CharacterPrompt
}

/**
 * Builds the conversation for an engine: the service's prompt, the character's and the caller's in one system message
 * (many chat templates take one, and only first). A character with a complete prompt replaces the service's. Empty
 * assistant turns are dropped. Source: API contract, chat.md 2, and characters.md "Effect in chat".
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

function toEngineMessage(message: ReadMessage): ChatMessage {
  const defined = Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined))
  if (message.role === 'assistant' && message.content === undefined) defined.content = null
  // The filter above only removed what the type marks optional.
  return defined as ChatMessage
}

export function promptText(messages: ChatMessage[]): string {
  return messages.map(messageText).join('\n')
}

function messageText(message: ChatMessage): string {
  const content = contentText(message)
  if (message.role !== 'assistant' || !message.tool_calls) return content
  return `${content}${message.tool_calls.map((call) => call.function.name + call.function.arguments).join('')}`
}
