import 'server-only'
import type { ChatMessage, ChatTool, TextPart, ToolCall } from '@/lib/services/engines/engine'
import { isWireObject, type WireObject } from '@/lib/services/engines/upstream/wire-value'

type SystemMessage = Extract<ChatMessage, { role: 'system' | 'developer' }>
export type Turn = Exclude<ChatMessage, SystemMessage>

/** Stands before an assistant's message that opens a conversation: vendors want a user's there. */
export const OPENING = 'Begin.'

const JSON_INSTRUCTION = 'Answer with one JSON object and nothing else: no text before or after it, and no Markdown.'

/**
 * Separates system messages, which vendors take beside the conversation, from its turns. A conversation of system
 * messages alone becomes a user's turn.
 */
export function splitSystem(
  messages: ChatMessage[],
  { wantsJsonObject }: { wantsJsonObject: boolean },
): { system: TextPart[]; turns: Turn[] } {
  const system: TextPart[] = []
  const turns: Turn[] = []
  for (const message of messages) {
    if (isSystem(message)) system.push(...textParts(message.content))
    else turns.push(message)
  }
  if (wantsJsonObject) system.push({ type: 'text', text: JSON_INSTRUCTION })
  if (turns.length > 0) return { system, turns }
  return { system: [], turns: [{ role: 'user', content: system }] }
}

const isSystem = (message: ChatMessage): message is SystemMessage =>
  message.role === 'system' || message.role === 'developer'

/** Lists the texts of a message. Blank ones are left out: vendors refuse them. */
export function textParts(content: string | TextPart[] | null): TextPart[] {
  const parts: TextPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  return parts.filter(({ text }) => text.trim() !== '')
}

/** Reads the arguments of a call as an object, which the model that made them may have written badly. */
export function argumentsOf({ function: { arguments: text } }: ToolCall): WireObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isWireObject(value)) return value
  } catch {
    // Not JSON: passed on as it is.
  }
  return text.trim() === '' ? {} : { arguments: text }
}

/** Lists a tool for each function that was called before, for vendors that want every call declared. */
export function calledTools(turns: Turn[]): ChatTool[] {
  const names = new Set(turns.flatMap((turn) => callsOf(turn).map((call) => call.function.name)))
  return [...names].map((name) => ({ type: 'function', function: { name } }))
}

export const callsOf = (turn: Turn): ToolCall[] => (turn.role === 'assistant' ? (turn.tool_calls ?? []) : [])

/** Splits a data URL in base64 without decoding it. @returns undefined for any other URL. */
export function mediaOf(url: string): { mime: string; data: string } | undefined {
  const head = /^data:([^;,]{1,127})(?:;[^,;]{0,127})*;base64,/i.exec(url.slice(0, 512))
  return head?.[1] === undefined ? undefined : { mime: head[1].toLowerCase(), data: url.slice(head[0].length) }
}
