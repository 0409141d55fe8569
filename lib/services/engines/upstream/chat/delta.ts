import 'server-only'
import type { TokenLogprob } from '@/lib/services/engines/engine'
import { isWireObject, textOf, type WireObject } from '@/lib/services/engines/upstream/chat/wire-value'

/** What stands for the logarithm of a probability of zero, as the field writes it: JSON has no infinity. */
const LEAST_LOGPROB = -9999

/** The visible text of a delta or message: a string or parts; a refusal is what the model says instead. */
export function contentText(delta: WireObject): string {
  const { content } = delta
  if (typeof content === 'string') return content === '' ? (textOf(delta.refusal) ?? '') : content
  if (Array.isArray(content)) return partsText(content, 'text')
  return textOf(delta.refusal) ?? ''
}

/** The thinking of a delta or message: one of the two spellings (some servers send both), or parts of the content. */
export function reasoningText(delta: WireObject): string {
  const text = textOf(delta.reasoning_content) ?? textOf(delta.reasoning)
  if (text !== undefined) return text
  return Array.isArray(delta.content) ? partsText(delta.content, 'thinking') : ''
}

function partsText(parts: unknown[], type: 'text' | 'thinking'): string {
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') text += type === 'text' ? part : ''
    else if (isWireObject(part) && (part.type ?? 'text') === type) {
      const value = part[type]
      text += Array.isArray(value) ? partsText(value, 'text') : (textOf(value) ?? '')
    }
  }
  return text
}

/** The log probabilities of a prompt as they are: their form is the server's own. Those nested without end are none. */
export function readPromptLogprobs(value: unknown): unknown[] | undefined {
  return Array.isArray(value) && isShallow(value, MAX_DETAIL_DEPTH) ? value : undefined
}

/** Vendors' details are a level or two deep; what is deeper is made to break whoever prints it. */
const MAX_DETAIL_DEPTH = 8

/** The reasoning details of a delta as they are, for they go back as they came. Those nested without end are none. */
export function readDetails(value: unknown): WireObject[] {
  return Array.isArray(value) ? value.filter(isWireObject).filter((detail) => isShallow(detail, MAX_DETAIL_DEPTH)) : []
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1))
}

/** The log probabilities of a chunk in the common `{content: […]}` form; nothing when there are none. */
export function readLogprobs(value: unknown): TokenLogprob[] | undefined {
  if (!isWireObject(value) || !Array.isArray(value.content)) return undefined
  const tokens: TokenLogprob[] = []
  for (const entry of value.content) {
    const token = readToken(entry)
    if (token === undefined) continue
    const top = isWireObject(entry) && Array.isArray(entry.top_logprobs) ? entry.top_logprobs : undefined
    if (top) tokens.push({ ...token, top_logprobs: top.map(readToken).filter((other) => other !== undefined) })
    else tokens.push(token)
  }
  return tokens.length > 0 ? tokens : undefined
}

function readToken(value: unknown): TokenLogprob | undefined {
  if (!isWireObject(value) || typeof value.token !== 'string') return undefined
  const { logprob, bytes } = value
  const token: TokenLogprob = {
    token: value.token,
    logprob: typeof logprob === 'number' ? Math.min(Math.max(logprob, LEAST_LOGPROB), 0) : LEAST_LOGPROB,
  }
  if (Array.isArray(bytes) && bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)) {
    token.bytes = bytes as number[]
  }
  return token
}
