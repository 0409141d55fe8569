import 'server-only'
import {
  type ChatEvent,
  type ChatMessage,
  type ChatRequest,
  type ChatTool,
  EngineError,
  type TextPart,
  type ToolCall,
} from '@/lib/services/engines/engine'
import { Answer, type ChunkDecoder } from '@/lib/services/engines/upstream/chat/reply-reader'
import type { Ask } from '@/lib/services/engines/upstream/http-client'
import { isWireObject, type WireObject } from '@/lib/services/engines/upstream/wire-value'

/**
 * A part of a request that some models of a vendor refuse. `isOfRequest`: what was refused is this request's, so that it
 * says nothing about the model.
 */
export type Refusal = { feature: string; pattern: RegExp; isOfRequest?: true }

/** A vendor's own wire form. */
export type NativeForm = {
  headers: string[]
  path(model: string): string
  /** @throws EngineError `invalid-request` naming the fields that the form has no place for. */
  body(request: ChatRequest, features: Features): object
  decoder(request: ChatRequest, features: Features): ChunkDecoder
  /** In order: of several that fit a message, the first is left out. */
  refusals: readonly Refusal[]
  /** Reads from a refusal how many output tokens would fit the context. */
  roomIn?(message: string): number | undefined
}

/**
 * What of a form a model can be sent. Which models take which parameters changes with every release and is in no list,
 * so what a model refuses by name is left out of this request and of all later ones.
 */
export class Features {
  readonly #refusals: readonly Refusal[]
  readonly #refusedByModel: Set<string>
  readonly #refusedHere = new Set<string>()
  readonly #used = new Set<string>()

  constructor(refusals: readonly Refusal[], refusedByModel: Set<string>) {
    this.#refusals = refusals
    this.#refusedByModel = refusedByModel
  }

  has(feature: string): boolean {
    return !this.#refusedByModel.has(feature) && !this.#refusedHere.has(feature)
  }

  /** Tells whether a feature may be sent, and records that it is. */
  use(feature: string): boolean {
    if (!this.has(feature)) return false
    this.#used.add(feature)
    return true
  }

  /** Leaves out what this message refuses. @returns whether there is something that was sent and is no longer. */
  refuse(message: string): boolean {
    const refusal = this.#refusals.find(({ feature, pattern }) => this.#used.has(feature) && pattern.test(message))
    if (refusal === undefined) return false
    const refused = refusal.isOfRequest ? this.#refusedHere : this.#refusedByModel
    refused.add(refusal.feature)
    this.#used.clear()
    return true
  }
}

/** Makes the calls of an engine that speaks a vendor's own form. */
export function nativeAsks(form: NativeForm, router: string): (request: ChatRequest) => Ask<ChatEvent[]> {
  const refusedByModels = new Map<string, Set<string>>()

  function refusedBy(model: string): Set<string> {
    const refused = refusedByModels.get(model) ?? new Set<string>()
    refusedByModels.set(model, refused)
    return refused
  }

  return (asked) => {
    // Vendors' own forms are streamed, whatever is done with the answer.
    const request = { ...asked, isWhole: false }
    const features = new Features(form.refusals, refusedBy(request.model))
    let { maxTokens } = request
    let body: Buffer | undefined
    return {
      call() {
        body ??= Buffer.from(JSON.stringify(form.body({ ...request, maxTokens }, features)))
        return { path: form.path(request.model), headers: form.headers, body }
      },
      read: (exchange, options) => new Answer(exchange, request, options, form.decoder(request, features)),
      cacheKey: request.cacheKey,
      begin: (batch, retries) => [{ type: 'route', router, retries }, ...(batch ?? [])],
      mend({ reason, message }) {
        body = undefined
        if (reason === 'invalid-request') return features.refuse(message)
        const room = reason === 'context-overflow' && request.bound !== 'firm' ? form.roomIn?.(message) : undefined
        if (room === undefined || room < 1 || room >= maxTokens) return false
        maxTokens = room
        return true
      },
    }
  }
}

/** @throws EngineError `invalid-request` naming the fields that are used. */
export function refuseFields(fields: Record<string, boolean>): void {
  const used = Object.keys(fields).filter((name) => fields[name])
  if (used.length === 0) return
  const names = used.map((name) => `\`${name}\``).join(', ')
  throw new EngineError(
    'invalid-request',
    `The model does not support ${names}. Leave it out, or choose another model.`,
  )
}

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
