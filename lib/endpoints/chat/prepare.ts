import 'server-only'
import type { ServiceParametersEcho } from '@/lib/contract/chat.schema'
import { CHARS_PER_TOKEN, MAX_CHARS_PER_TOKEN } from '@/lib/contract/estimates'
import type { WebSearchStatus } from '@/lib/contract/headers'
import { MAX_WEB_CHARS } from '@/lib/contract/limits'
import { usdNumber } from '@/lib/contract/money'
import type { Attachment } from '@/lib/endpoints/chat/attachments'
import { buildPrompt, type ReadMessage } from '@/lib/endpoints/chat/engine-request'
import { findOnWeb } from '@/lib/endpoints/chat/find-on-web'
import { addTokens, type MediaTokens } from '@/lib/endpoints/chat/media-tokens'
import { needsWeb } from '@/lib/endpoints/chat/needs-web'
import type { Preparation, SideCosts } from '@/lib/endpoints/chat/price'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import { type ReadPart, readAttachments } from '@/lib/endpoints/chat/read-attachments'
import { assertMayFit, measure, type UsageBounds } from '@/lib/endpoints/chat/usage'
import { userText, type WebPlan } from '@/lib/endpoints/chat/web-plan'
import { type WebFindings, webPrompt, withoutFindings } from '@/lib/endpoints/chat/web-prompt'
import { withSearchTool } from '@/lib/endpoints/chat/web-tool'
import type { ContentPart } from '@/lib/services/engines/engine'
import { chatEngine } from '@/lib/services/engines/registry'
import { priceOf } from '@/lib/services/ledger/meter'
import type { MemoryReservation } from '@/lib/services/media/memory-budget'
import type { Model } from '@/lib/services/models/model'

/** Share of the remaining context that web text may take; the rest is for the answer, and counts are estimates. */
const WEB_SHARE = 0.5
const TOOL_CALL_BYTES = 2_048
const TOOL_CALL_TOKENS = 64

export type Conversation = {
  messages: ReadMessage[]
  media: MediaTokens
  assists: NonNullable<ServiceParametersEcho['assists']>
}

export type Asked = Pick<ChatWork, 'request' | 'bounds'>

export async function readConversation(
  { messages, attachments, routes }: Preparation,
  model: Model,
  { sideCosts, memory, signal }: { sideCosts: SideCosts; memory: MemoryReservation; signal: AbortSignal },
): Promise<Conversation> {
  const read = await readAttachments(attachments, {
    routes,
    maxDocumentChars: model.contextTokens * MAX_CHARS_PER_TOKEN,
    assertFits: (chars) => assertMayFit(chars, model),
    sideCosts,
    memory,
    signal,
  })
  for (const { assists } of read) for (const { lines } of assists) sideCosts.spend(lines)
  return {
    messages: withReadParts(messages, attachments, read),
    media: addTokens(read.map(({ tokens }) => tokens)),
    assists: read.flatMap(({ assists }, index) => {
      const { type } = attachments[index]!.content
      return assists.map(({ model: { id }, lines }) => ({
        type: type === 'file' ? 'image_url' : type,
        model: id,
        cost_usd: usdNumber(priceOf(lines)),
      }))
    }),
  }
}

function withReadParts(messages: Preparation['messages'], attachments: Attachment[], read: ReadPart[]): ReadMessage[] {
  const readings = new Map(attachments.map(({ message, part }, index) => [`${message}.${part}`, read[index]!.parts]))
  return messages.map((message, at): ReadMessage => {
    if (message.role !== 'user') return message
    if (typeof message.content === 'string') return { ...message, content: message.content }
    const content = message.content.flatMap((part, index): ContentPart[] => {
      if (part.type === 'text') return [part]
      return readings.get(`${at}.${index}`) ?? [{ type: 'text', text: LEFT_OUT }]
    })
    return { ...message, content: content.every((part) => part.type === 'text') ? joined(content) : content }
  })
}

const LEFT_OUT = '[An image of an earlier message is not shown again.]'

/** Sends text alone as a string, which every model takes; a cache breakpoint needs its part. */
function joined(content: Extract<ContentPart, { type: 'text' }>[]): string | ContentPart[] {
  return content.some((part) => part.cache_control) ? content : content.map(({ text }) => text).join('\n\n')
}

/**
 * Builds and measures the prompt.
 *
 * @throws ApiError context_length_exceeded.
 */
export function askWith(
  { messages, media }: Pick<Conversation, 'messages' | 'media'>,
  request: ChatWork['request'],
  { models, options, character, preparation, outputTokens }: ChatWork,
): Asked {
  const model = models[0]!
  const prompt = buildPrompt(messages, { ...options, servicePrompt: model.servicePrompt, character })
  const mayCallSearch = preparation?.web.mode === 'tool'
  const { tools } = (mayCallSearch && withSearchTool(request)) || request
  const { bounds, ...bound } = measure(prompt, model, { ...request, tools, outputTokens }, media)
  return { request: { ...request, messages: prompt, ...bound }, bounds }
}

export type WebStep = Extract<WebPlan, { mode: 'scrape' | 'search' }>

export async function decideWeb(plan: WebPlan, signal: AbortSignal): Promise<WebStep | 'not_needed' | undefined> {
  if (plan.mode === 'scrape' || plan.mode === 'search') return plan
  if (plan.mode !== 'decide') return undefined
  return (await needsWeb(plan.query, signal)) ? { mode: 'search', query: plan.query } : 'not_needed'
}

type WebResult = { query: string; status: WebSearchStatus; findings?: WebFindings; text: string }

export async function look(
  step: WebStep,
  o: {
    question: string
    budgetChars: number
    asksForCitations: boolean
    memory?: MemoryReservation
    signal: AbortSignal
  },
): Promise<WebResult> {
  const isSearch = step.mode === 'search'
  const query = isSearch ? step.query : step.urls.join(' ')
  const findings = await findOnWeb(step, { ...o, question: isSearch ? step.query : o.question })
  if (typeof findings === 'string') return { query, status: findings, text: withoutFindings(step.mode, findings) }
  return { query, status: 'found', findings, text: webPrompt(findings, o.asksForCitations) }
}

export function webBudget({ request, bounds }: Asked, { contextTokens }: Model): number {
  const left = contextTokens - bounds.inputTokens
  // Where the caller bounded the answer, the engine refuses what leaves less.
  const spare = Math.min(left * WEB_SHARE, request.bound === 'firm' ? left - request.maxTokens : left)
  return Math.min(MAX_WEB_CHARS, Math.max(0, Math.floor(spare)) * CHARS_PER_TOKEN.upper)
}

export function lastQuestion({ messages }: Preparation): string {
  const last = messages.findLast((message) => message.role === 'user')
  return last ? userText(last) : ''
}

export function boundsOfBoth(bounds: UsageBounds, found: string, { engine }: Model): UsageBounds {
  return {
    ...bounds,
    inputTokens: 2 * bounds.inputTokens + chatEngine(engine).countTokens(found) + TOOL_CALL_TOKENS,
    inputBytes: 2 * bounds.inputBytes + Buffer.byteLength(found) + TOOL_CALL_BYTES,
    instructionTokens: bounds.instructionTokens && 2 * bounds.instructionTokens,
    messages: 2 * bounds.messages + 2,
  }
}
