import 'server-only'
import type { ContentPart } from '@/lib/services/engines/engine'
import {
  argumentsOf,
  callsOf,
  mediaOf,
  OPENING,
  type Turn,
  textParts,
} from '@/lib/services/engines/upstream/chat/native/conversation'
import type { Features } from '@/lib/services/engines/upstream/chat/native/form'
import { isWireObject, textOrUndefined, type WireObject } from '@/lib/services/engines/upstream/wire-value'

/** Marks reasoning details as thought signatures of this form. Source: openrouter.ai, "Reasoning tokens". */
export const SIGNATURE_FORMAT = 'google-gemini-v1'
/** Stands for a signature that is lost. Source: ai.google.dev, "Thought signatures". */
const NO_SIGNATURE = 'skip_thought_signature_validator'

type Content = { role: 'user' | 'model'; parts: WireObject[] }

/** Writes turns as contents. Several of one role in a row, as the results of parallel calls are, become one content. */
export function contentsOf(turns: Turn[], features: Features): Content[] {
  const contents: Content[] = []
  const names = new Map(turns.flatMap(callsOf).map((call) => [call.id, call.function.name]))
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'model' : 'user'
    const parts = partsOf(turn, names, features)
    const last = contents.at(-1)
    if (parts.length === 0) continue
    if (last?.role === role) last.parts.push(...parts)
    else contents.push({ role, parts })
  }
  if (contents[0]?.role === 'model') contents.unshift({ role: 'user', parts: [{ text: OPENING }] })
  return contents
}

function partsOf(turn: Turn, names: Map<string, string>, features: Features): WireObject[] {
  if (turn.role === 'assistant') return modelParts(turn, features)
  if (turn.role === 'user') {
    return typeof turn.content === 'string' ? textParts(turn.content).map(textPart) : turn.content.flatMap(mediaParts)
  }
  const { tool_call_id: id, name = names.get(id) } = turn
  const text = textParts(turn.content)
    .map((part) => part.text)
    .join('\n')
  return [{ functionResponse: { id, name: name ?? id, response: responseOf(text) } }]
}

/** A result that is an object goes as it is; any other goes as `output`, which the form names so. */
function responseOf(text: string): WireObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isWireObject(value)) return value
  } catch {
    // Not JSON: text.
  }
  return { output: text }
}

const textPart = ({ text }: { text: string }): WireObject => ({ text })

function mediaParts(part: ContentPart): WireObject[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [textPart(part)]
    case 'image_url':
      return [dataPart(part.image_url.url)]
    case 'input_audio':
      return [{ inlineData: { mimeType: 'audio/wav', data: part.input_audio.data } }]
    case 'video_url':
      return [dataPart(part.video_url.url)]
    case 'file':
      return [dataPart(part.file.file_data)]
  }
}

function dataPart(url: string): WireObject {
  const media = mediaOf(url)
  return media ? { inlineData: { mimeType: media.mime, data: media.data } } : { fileData: { fileUri: url } }
}

/**
 * Writes an assistant's turn with its signatures: one belongs to the call that it names, or else to the text. Of
 * parallel calls only the first has one.
 */
function modelParts(turn: Extract<Turn, { role: 'assistant' }>, features: Features): WireObject[] {
  const signatures = signaturesOf(turn, features)
  const texts = textParts(turn.content).map(textPart)
  const calls = callsOf(turn).map((call): WireObject => {
    const { id } = call
    return {
      functionCall: { id, name: call.function.name, args: argumentsOf(call) },
      thoughtSignature: signatures.get(id),
    }
  })
  const [firstCall] = calls
  const lastText = texts.at(-1)
  const unnamed = signatures.get(undefined)
  const isSigned = calls.some((part) => part.thoughtSignature !== undefined)
  if (firstCall && !isSigned) firstCall.thoughtSignature = lastText ? undefined : unnamed
  if (lastText && unnamed !== undefined) lastText.thoughtSignature = unnamed
  if (firstCall && !isSigned && firstCall.thoughtSignature === undefined) {
    firstCall.thoughtSignature = features.use('unsigned calls') ? undefined : NO_SIGNATURE
  }
  return [...texts, ...calls]
}

/** Lists signatures by the call that they name; that of the text under `undefined`. */
function signaturesOf(turn: Extract<Turn, { role: 'assistant' }>, features: Features): Map<string | undefined, string> {
  const signatures = new Map<string | undefined, string>()
  if (!features.has('signatures')) return signatures
  for (const { type, format, data, id } of turn.reasoning_details ?? []) {
    const signature = textOrUndefined(data)
    if (type !== 'reasoning.encrypted' || format !== SIGNATURE_FORMAT || signature === undefined) continue
    signatures.set(textOrUndefined(id), signature)
  }
  if (signatures.size === 0 && turn.thought_signature) signatures.set(callsOf(turn)[0]?.id, turn.thought_signature)
  if (signatures.size > 0) features.use('signatures')
  return signatures
}
