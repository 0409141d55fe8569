import 'server-only'
import { type ContentPart, EngineError, type TextPart } from '@/lib/services/engines/engine'
import {
  argumentsOf,
  callsOf,
  mediaOf,
  OPENING,
  type Turn,
  textParts,
} from '@/lib/services/engines/upstream/chat/native/conversation'
import type { Features } from '@/lib/services/engines/upstream/chat/native/form'
import { textOrUndefined, type WireObject } from '@/lib/services/engines/upstream/wire-value'

/** Marks reasoning details as thinking blocks of this form. Source: openrouter.ai, "Reasoning tokens". */
export const THINKING_FORMAT = 'anthropic-claude-v1'

type Message = { role: 'user' | 'assistant'; content: WireObject[] }

export const systemOf = (system: TextPart[]): WireObject[] => system.map(textBlock)

/** Writes turns as messages. Several of one role in a row, as the results of parallel calls are, become one message. */
export function messagesOf(turns: Turn[], features: Features): Message[] {
  const messages: Message[] = []
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'assistant' : 'user'
    const content = blocksOf(turn, features)
    const last = messages.at(-1)
    if (content.length === 0) continue
    if (last?.role === role) last.content.push(...content)
    else messages.push({ role, content })
  }
  if (messages[0]?.role === 'assistant') messages.unshift({ role: 'user', content: [{ type: 'text', text: OPENING }] })
  trimEnd(messages.at(-1))
  return messages
}

/** An assistant's text that is to be continued must not end with a blank. */
function trimEnd(last: Message | undefined): void {
  const block = last?.role === 'assistant' ? last.content.at(-1) : undefined
  if (typeof block?.text === 'string') block.text = block.text.trimEnd()
}

function blocksOf(turn: Turn, features: Features): WireObject[] {
  if (turn.role === 'tool') return [resultBlock(turn)]
  if (turn.role === 'user') {
    return typeof turn.content === 'string' ? textParts(turn.content).map(textBlock) : turn.content.flatMap(partBlocks)
  }
  const said = textParts(turn.content).map(textBlock)
  const calls = callsOf(turn).map((call) => ({
    type: 'tool_use',
    id: toolId(call.id),
    name: call.function.name,
    input: argumentsOf(call),
  }))
  return [...withThoughts(said, thoughtsOf(turn, features)), ...calls]
}

const cacheOf = ({ cache_control: cache }: TextPart | ContentPart) => cache && { type: cache.type }

/** Drops the time to live: an hour is written at another price than the one that a model has. */
const textBlock = (part: TextPart): WireObject => ({ type: 'text', text: part.text, cache_control: cacheOf(part) })

function partBlocks(part: ContentPart): WireObject[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [textBlock(part)]
    case 'image_url':
      return [{ type: 'image', source: sourceOf(part.image_url.url), cache_control: cacheOf(part) }]
    case 'file':
      return [
        {
          type: 'document',
          source: sourceOf(part.file.file_data),
          title: part.file.filename,
          cache_control: cacheOf(part),
        },
      ]
    case 'input_audio':
      throw new EngineError('invalid-request', 'The model does not take audio. Leave it out, or choose another model.')
    case 'video_url':
      throw new EngineError('invalid-request', 'The model does not take video. Leave it out, or choose another model.')
  }
}

function sourceOf(url: string): WireObject {
  const media = mediaOf(url)
  return media ? { type: 'base64', media_type: media.mime, data: media.data } : { type: 'url', url }
}

function resultBlock(turn: Extract<Turn, { role: 'tool' }>): WireObject {
  const content = textParts(turn.content).map(textBlock)
  return {
    type: 'tool_result',
    tool_use_id: toolId(turn.tool_call_id),
    content: content.length > 0 ? content : undefined,
  }
}

/** Ids that other vendors made may hold characters that this one refuses. */
const toolId = (id: string): string => id.replace(/[^\w-]/g, '_')

type Thought = { index: number; block: WireObject }

/** Puts thoughts where they stood: their index counts all blocks of the answer, so a gap is where text was. */
function withThoughts(said: WireObject[], thoughts: Thought[]): WireObject[] {
  const blocks: WireObject[] = []
  const rest = [...said]
  for (const { index, block } of thoughts) {
    while (blocks.length < index && rest.length > 0) blocks.push(rest.shift() as WireObject)
    blocks.push(block)
  }
  return [...blocks, ...rest]
}

function thoughtsOf(turn: Turn, features: Features): Thought[] {
  if (turn.role !== 'assistant' || !features.has('signatures')) return []
  const { reasoning_details: details = [], reasoning_content: text, thought_signature: signature } = turn
  const thoughts = details.flatMap((detail, at) => {
    const block = thoughtBlock(detail)
    return block ? [{ index: typeof detail.index === 'number' ? detail.index : at, block }] : []
  })
  if (details.length === 0 && text && signature) {
    thoughts.push({ index: 0, block: { type: 'thinking', thinking: text, signature } })
  }
  if (thoughts.length > 0) features.use('signatures')
  return thoughts.sort((a, b) => a.index - b.index)
}

function thoughtBlock(detail: WireObject): WireObject | undefined {
  const { type, text, data, format } = detail
  const signature = textOrUndefined(detail.signature)
  if (type === 'reasoning.text' && signature !== undefined && (format ?? THINKING_FORMAT) === THINKING_FORMAT) {
    return { type: 'thinking', thinking: textOrUndefined(text) ?? '', signature }
  }
  if (type === 'reasoning.encrypted' && textOrUndefined(data) !== undefined && format === THINKING_FORMAT) {
    return { type: 'redacted_thinking', data }
  }
  return undefined
}

/** Tells whether the answer under way has calls whose thoughts are missing. */
export function hasUnsignedCalls(turns: Turn[], features: Features): boolean {
  const since = turns.slice(turns.findLastIndex(({ role }) => role === 'user') + 1)
  return since.some((turn) => callsOf(turn).length > 0 && thoughtsOf(turn, features).length === 0)
}
