import { costOf, parseTokens } from '@/components/chat/stream'
import { API_ROOT, asReply, type Loose, postJson } from '@/lib/browser/api'
import { newRequest } from '@/lib/browser/charge'
import { moneyOf } from '@/lib/browser/format/cost'
import { readPreference } from '@/lib/browser/preferences'
import { modelsQuery, queryClient } from '@/lib/browser/queries'
import { reachedDayCap } from '@/lib/browser/spending'
import { fitToCap, parseCap, promptTokens } from '@/lib/browser/spending-cap'
import { noteRequest, priceRequest } from '@/lib/browser/storage/answers'
import type { Purpose, Receipt } from '@/lib/browser/storage/records'
import type { ChatCompletion } from '@/lib/contract/chat.schema'
import { ApiError } from '@/lib/contract/errors'
import { REQUEST_ID_HEADER, REQUEST_NAME_HEADER } from '@/lib/contract/headers'

const TIMEOUT_MS = 30_000
export const QUESTION_EXCERPT_CHARS = 600

type SideRequest = ReturnType<typeof sideRequest>

type SideReply = { text: string; isCut: boolean }

export function sideRequest(model: string, content: string, maxTokens: number) {
  return {
    model,
    messages: [{ role: 'user', content }],
    max_completion_tokens: maxTokens,
    temperature: 0.2,
    service_parameters: {
      include_service_system_prompt: false,
      disable_thinking: true,
      strip_thinking_response: true,
      enable_web_search: 'off',
    },
  }
}

export async function isWithinCaps(request: SideRequest): Promise<boolean> {
  return (await reachedDayCap()) === undefined && (await fitsOneMessage(request))
}

/**
 * Sends a side request and keeps its cost with the chat; nothing when the chat is gone meanwhile. @throws
 * whatever the service or the storage throws; a refused request is free.
 */
export async function askSideRequest(
  conversationId: string,
  body: SideRequest,
  purpose: Purpose,
): Promise<SideReply | undefined> {
  const request = { ...newRequest(body.model), purpose }
  // Noted before it is sent: a page that is left meanwhile has paid for it, and finds its price later.
  if (!(await noteRequest(conversationId, request))) return undefined
  const reply = await send(body, conversationId, request.id)
  const costUsd = costOf(reply.body.cost)
  if (costUsd !== undefined) {
    const receipt: Receipt = {
      ...{ id: request.id, conversationId, messageId: '', purpose, model: body.model },
      tokens: parseTokens(reply.body.usage ?? {}),
      durationMs: Date.now() - request.at,
      at: Date.now(),
      ...(reply.requestId && { requestId: reply.requestId }),
      cost: moneyOf(costUsd),
    }
    await priceRequest({ id: '', conversationId }, request.id, receipt)
  }
  return replyText(reply.body)
}

type Reply = { body: Loose<ChatCompletion>; requestId: string | null }

async function send(request: SideRequest, conversationId: string, name: string): Promise<Reply> {
  const headers = { [REQUEST_NAME_HEADER]: name }
  try {
    const response = await postJson(`${API_ROOT}/chat/completions`, request, AbortSignal.timeout(TIMEOUT_MS), headers)
    return { body: asReply<ChatCompletion>(await response.json()), requestId: response.headers.get(REQUEST_ID_HEADER) }
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) await priceRequest({ id: '', conversationId }, name)
    throw error
  }
}

async function fitsOneMessage({ model, messages, max_completion_tokens: max }: SideRequest): Promise<boolean> {
  const cap = parseCap(readPreference('capPerMessage'))
  if (cap === undefined) return true
  const price = (await queryClient().ensureQueryData(modelsQuery())).find(({ id }) => id === model)?.price
  const fit = fitToCap(cap, promptTokens(messages), price)
  return fit.kind === 'free' || (fit.kind === 'bounded' && fit.maxOutputTokens >= max)
}

function replyText({ choices }: Loose<ChatCompletion>): SideReply {
  const choice = choices?.[0]
  return { text: choice?.message?.content ?? '', isCut: choice?.finish_reason === 'length' }
}
