import 'server-only'
import { hex } from '@/lib/contract/ids'
import type { ChatRequest } from '@/lib/services/engines/engine'
import type { ChunkDecoder } from '@/lib/services/engines/upstream/chat/reply-reader'
import { isWireObject, textOrUndefined, type WireObject } from '@/lib/services/engines/upstream/wire-value'

/** Marks reasoning details as thought signatures of this form. Source: openrouter.ai, "Reasoning tokens". */
export const SIGNATURE_FORMAT = 'google-gemini-v1'

type Delta = {
  content: string
  reasoning_content: string
  tool_calls: WireObject[]
  reasoning_details: WireObject[]
}

const BLOCKED = /SAFETY|RECITATION|BLOCKLIST|PROHIBITED|SPII/
const BROKEN = /MALFORMED|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MISSING_THOUGHT_SIGNATURE/

const REFUSED = { error: { code: 'content_policy', message: 'refused' } }

/** Reads the responses of a streamed answer, each a part of the whole, as chunks of a chat completion. */
export class GoogleChunks implements ChunkDecoder {
  readonly isOver = false
  hasEnd = false
  readonly #choices: number
  readonly #maxCalls: number
  readonly #calls = new Map<unknown, number>()
  #hasOutput = false

  /** The form cannot ask for one call at a time: those after the first are left out. */
  constructor({ n, parallelToolCalls }: Pick<ChatRequest, 'n' | 'parallelToolCalls'>) {
    this.#choices = n
    this.#maxCalls = parallelToolCalls === false ? 1 : Number.POSITIVE_INFINITY
  }

  chunkOf(response: unknown): unknown {
    if (!isWireObject(response)) return undefined
    if (response.error) return { error: response.error }
    const { candidates, promptFeedback, usageMetadata } = response
    if (isWireObject(promptFeedback) && textOrUndefined(promptFeedback.blockReason) !== undefined) return REFUSED
    const choices = Array.isArray(candidates) ? candidates.filter(isWireObject) : []
    const chunk = { choices: choices.map((candidate) => this.#choiceOf(candidate)), usage: usageOf(usageMetadata) }
    const isRefused = choices.some(({ finishReason }) => BLOCKED.test(String(finishReason)))
    return isRefused && !this.#hasOutput && this.#choices === 1 ? REFUSED : chunk
  }

  #choiceOf({ index = 0, content, finishReason, logprobsResult }: WireObject): WireObject {
    const parts = isWireObject(content) && Array.isArray(content.parts) ? content.parts.filter(isWireObject) : []
    const delta: Delta = { content: '', reasoning_content: '', tool_calls: [], reasoning_details: [] }
    for (const part of parts) this.#addPart(index, part, delta)
    const finish_reason = finishOf(finishReason)
    this.hasEnd ||= finish_reason !== null
    this.#hasOutput ||= delta.content !== '' || delta.tool_calls.length > 0
    return { index, delta, finish_reason, logprobs: logprobsOf(logprobsResult) }
  }

  #addPart(choice: unknown, part: WireObject, delta: Delta): void {
    const text = textOrUndefined(part.text) ?? ''
    if (part.thought === true) delta.reasoning_content += text
    else delta.content += text
    const call = isWireObject(part.functionCall) ? part.functionCall : undefined
    const index = this.#calls.get(choice) ?? 0
    if (call && index >= this.#maxCalls) return
    // Most answers name no id, and the signature has to name the call that it belongs to.
    const id = call && (textOrUndefined(call.id) ?? `call_${hex(12)}`)
    if (call) {
      this.#calls.set(choice, index + 1)
      delta.tool_calls.push({ index, id, function: { name: call.name, arguments: JSON.stringify(call.args ?? {}) } })
    }
    const signature = textOrUndefined(part.thoughtSignature)
    if (signature !== undefined) {
      delta.reasoning_details.push({ type: 'reasoning.encrypted', data: signature, id, format: SIGNATURE_FORMAT })
    }
  }
}

function finishOf(reason: unknown): string | null {
  const name = textOrUndefined(reason)
  if (name === undefined || name === 'FINISH_REASON_UNSPECIFIED') return null
  if (name === 'MAX_TOKENS') return 'length'
  return BROKEN.test(name) ? 'error' : 'stop'
}

/** The field's output tokens include thoughts; here they are counted beside the answer. */
function usageOf(value: unknown): WireObject | undefined {
  if (!isWireObject(value)) return undefined
  const { promptTokenCount: prompt, toolUsePromptTokenCount: tools = 0, cachedContentTokenCount: cached = 0 } = value
  const { candidatesTokenCount: answer = 0, thoughtsTokenCount: thoughts = 0 } = value
  return {
    prompt_tokens: sum(prompt, tools),
    completion_tokens: sum(answer, thoughts),
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: thoughts },
  }
}

const sum = (left: unknown, right: unknown): number | undefined =>
  typeof left === 'number' && typeof right === 'number' ? left + right : undefined

function logprobsOf(result: unknown): WireObject | undefined {
  if (!isWireObject(result) || !Array.isArray(result.chosenCandidates)) return undefined
  const { topCandidates } = result
  const content = result.chosenCandidates.map((chosen, at) => {
    const top: unknown = Array.isArray(topCandidates) ? topCandidates[at] : undefined
    const others = isWireObject(top) && Array.isArray(top.candidates) ? top.candidates : []
    return { ...tokenOf(chosen), top_logprobs: others.map(tokenOf) }
  })
  return { content }
}

const tokenOf = (value: unknown): WireObject =>
  isWireObject(value) ? { token: value.token, logprob: value.logProbability } : {}
