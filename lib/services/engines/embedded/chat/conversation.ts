/** Reads a request in the way of any runtime: its turns, its owner, the room for its answer. Runs in the child process. */
import {
  type ChatEvent,
  type ChatMessage,
  type ChatRequest,
  type ChatTool,
  contentText,
  EngineError,
  type TokenUsage,
} from '../../engine.ts'
import { taggedCall, taggedResult } from './tool-tags.ts'

export const THOUGHT_TAG = '<think>'

/** `message` is the one that a turn was made of, where it was one. */
export type Turn = { role: 'system' | 'user' | 'assistant'; text: string; message?: ChatMessage }

/**
 * Makes the turns that every chat template takes: one of the system, then those of the user and the assistant, with
 * calls and results of tools in words, or in tags where the template has them.
 */
export function turnsOf(messages: ChatMessage[], forced: ChatTool[], hasTags: boolean): Turn[] {
  const isSystem = ({ role }: ChatMessage) => role === 'system' || role === 'developer'
  const system = [...messages.filter(isSystem).map(contentText), ...forced.map(describe)].join('\n\n')
  const turns = messages.filter((message) => !isSystem(message)).map((message) => turnOf(message, hasTags))
  return [...(system === '' ? [] : [{ role: 'system' as const, text: system }]), ...turns]
}

function turnOf(message: ChatMessage, hasTags: boolean): Turn {
  const text = contentText(message)
  if (message.role === 'assistant') return { role: 'assistant', text: text + callsOf(message, hasTags), message }
  if (message.role !== 'tool') return { role: 'user', text, message }
  return { role: 'user', text: hasTags ? taggedResult(text) : `Result of ${message.name ?? 'the tool'}:\n${text}` }
}

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>

function callsOf({ tool_calls: calls = [] }: AssistantMessage, hasTags: boolean): string {
  return calls
    .map(({ function: { name, arguments: text } }) =>
      hasTags ? `\n${taggedCall(name, text)}` : `\n{"name": ${JSON.stringify(name)}, "arguments": ${text}}`,
    )
    .join('')
}

function describe({ function: { name, description, parameters } }: ChatTool): string {
  const about = description ? `, which does: ${description}` : ''
  return `Call the function ${name}${about}. Its parameters: ${JSON.stringify(parameters ?? {})}`
}

/** Finds these tokens in a text, the longest first. */
export function tokenFinder(tokens: string[]): RegExp {
  const escaped = tokens
    .filter((token) => token.length > 1)
    .toSorted((a, b) => b.length - a.length)
    .map((token) => token.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
  // Without any, it finds nothing.
  return new RegExp(escaped.join('|') || '(?!)', 'g')
}

/** Parts control tokens that stand in a message, so that they stay words. */
export const withoutControl = (text: string, control: RegExp): string =>
  text.replace(control, (token) => `${token[0]}\u200b${token.slice(1)}`)

/** @throws EngineError `invalid-request` for what only node-llama-cpp can do. */
export function assertNoTokenAccess({ stopTokenIds, logprobs }: Pick<ChatRequest, 'stopTokenIds' | 'logprobs'>): void {
  if (stopTokenIds?.length) {
    throw new EngineError('invalid-request', 'This model does not take stop_token_ids. Use stop.')
  }
  if (logprobs) throw new EngineError('invalid-request', 'This model does not give log probabilities.')
}

export const templateRefusal = (cause: unknown): EngineError =>
  new EngineError('invalid-request', "The model's chat template does not take this sequence of messages.", { cause })

/** A model that can do both thinks only when it is asked to: on a CPU a thought takes minutes. */
export function isThinkingAsked({ reasoning }: Pick<ChatRequest, 'reasoning'>): boolean {
  const { isEnabled, effort } = reasoning ?? {}
  return isEnabled ?? (effort !== undefined && effort !== 'none')
}

/** Models here count no thoughts apart, and writing to their caches costs nothing. */
export const usageEvent = (counts: Pick<TokenUsage, 'inputTokens' | 'cachedTokens' | 'outputTokens'>): ChatEvent => ({
  type: 'usage',
  ...counts,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
})

// Source: API contract, chat.md 10.
export const RETENTION_MS = 5 * 60_000

/**
 * Names who may reuse what a request leaves: the same account, and with a key of its own only with that key; undefined
 * where the request says neither, for the prompt of one must not shorten (nor time) the work for another.
 */
export function ownerOf({ cacheScope, cacheKey }: Pick<ChatRequest, 'cacheScope' | 'cacheKey'>): string | undefined {
  return cacheScope === undefined && cacheKey === undefined ? undefined : JSON.stringify([cacheScope, cacheKey])
}

/**
 * Counts the tokens that an answer may have.
 *
 * @throws EngineError `context-overflow` when the prompt leaves no room for a token, or less than a firm bound asks for.
 */
export function roomFor(
  { bound, maxTokens }: Pick<ChatRequest, 'bound' | 'maxTokens'>,
  promptTokens: number,
  contextTokens: number,
): number {
  const remaining = contextTokens - promptTokens
  if (remaining < 1) {
    throw new EngineError(
      'context-overflow',
      `This model's context is ${contextTokens} tokens, and the messages are ${promptTokens}. Shorten them.`,
    )
  }
  if (bound === 'firm' && maxTokens > remaining) {
    throw new EngineError(
      'context-overflow',
      `This model's context is ${contextTokens} tokens. The messages are ${promptTokens}, which leaves ${remaining} for the answer, ` +
        `and ${maxTokens} were asked for. Shorten the messages or ask for fewer tokens.`,
    )
  }
  return Math.min(maxTokens, remaining)
}
