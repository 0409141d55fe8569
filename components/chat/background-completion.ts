import { MAX_TITLE_CHARS } from '@/components/chat/chat-title'
import { costOf, parseTokens } from '@/components/chat/stream'
import { API_ROOT, asReply, type Loose, postJson } from '@/lib/browser/api'
import { newRequest } from '@/lib/browser/charge'
import { moneyOf } from '@/lib/browser/format/cost'
import { dayOf } from '@/lib/browser/format/day'
import { readPreference } from '@/lib/browser/preferences'
import { isDemoModel, modelsQuery, queryClient } from '@/lib/browser/queries'
import { fitToCap, isDaySpent, parseCap, promptTokens } from '@/lib/browser/spending-cap'
import { noteRequest, priceRequest } from '@/lib/browser/storage/answers'
import { loadThread, type StoredThread } from '@/lib/browser/storage/chats'
import { databaseOf } from '@/lib/browser/storage/database'
import { isTemporary, type Purpose, type Receipt } from '@/lib/browser/storage/records'
import { spentOn } from '@/lib/browser/storage/spending'
import { shownTurns } from '@/lib/browser/storage/thread'
import type { ChatCompletion } from '@/lib/contract/chat.schema'
import { ApiError } from '@/lib/contract/errors'
import { REQUEST_ID_HEADER, REQUEST_NAME_HEADER } from '@/lib/contract/headers'

const TIMEOUT_MS = 30_000

type BackgroundRequest = ReturnType<typeof backgroundRequest>

type BackgroundReply = { text: string; isCut: boolean }

export function backgroundRequest(model: string, content: string, maxTokens: number) {
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

export async function isWithinCaps(request: BackgroundRequest): Promise<boolean> {
  return !(await isCapReached()) && (await fitsOneMessage(request))
}

/**
 * Sends a background request and keeps its cost with the chat; nothing when the chat is gone meanwhile. @throws
 * whatever the service or the storage throws; a refused request is free.
 */
export async function askInBackground(
  conversationId: string,
  body: BackgroundRequest,
  purpose: Purpose,
): Promise<BackgroundReply | undefined> {
  const request = { ...newRequest(body.model), purpose }
  const { id: name, at: startedAt } = request
  // Noted before it is sent: a page that is left meanwhile has paid for it, and finds its price later.
  if (!(await noteRequest(conversationId, request))) return undefined
  const reply = await send(body, conversationId, name)
  const receipt = buildReceipt(reply.body, {
    ...reply,
    id: name,
    conversationId,
    purpose,
    model: body.model,
    startedAt,
  })
  if (receipt.cost !== undefined) await priceRequest({ id: '', conversationId }, name, receipt)
  return replyText(reply.body)
}

type Reply = { body: Loose<ChatCompletion>; requestId: string | null }

async function send(request: BackgroundRequest, conversationId: string, name: string): Promise<Reply> {
  const headers = { [REQUEST_NAME_HEADER]: name }
  try {
    const response = await postJson(`${API_ROOT}/chat/completions`, request, AbortSignal.timeout(TIMEOUT_MS), headers)
    return { body: asReply<ChatCompletion>(await response.json()), requestId: response.headers.get(REQUEST_ID_HEADER) }
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) await priceRequest({ id: '', conversationId }, name)
    throw error
  }
}

async function isCapReached(): Promise<boolean> {
  const perDay = parseCap(readPreference('capPerDay'))
  return perDay !== undefined && isDaySpent(await spentOn(dayOf(Date.now())), perDay)
}

async function fitsOneMessage({ model, messages, max_completion_tokens: max }: BackgroundRequest): Promise<boolean> {
  const cap = parseCap(readPreference('capPerMessage'))
  if (cap === undefined) return true
  const price = (await queryClient().ensureQueryData(modelsQuery())).find(({ id }) => id === model)?.price
  const fit = fitToCap(cap, promptTokens(messages), price)
  return fit.kind === 'free' || (fit.kind === 'bounded' && fit.maxOutputTokens >= max)
}

function replyText({ choices }: Loose<ChatCompletion>): BackgroundReply {
  const choice = choices?.[0]
  return { text: choice?.message?.content ?? '', isCut: choice?.finish_reason === 'length' }
}

type ReceiptFacts = {
  id: string
  conversationId: string
  purpose: Purpose
  model: string
  startedAt: number
  requestId: string | null
}

function buildReceipt(
  { usage = {}, cost }: Loose<ChatCompletion>,
  { id, conversationId, purpose, model, startedAt, requestId }: ReceiptFacts,
): Receipt {
  const costUsd = costOf(cost)
  return {
    id,
    conversationId,
    messageId: '',
    purpose,
    model,
    tokens: parseTokens(usage),
    durationMs: Date.now() - startedAt,
    at: Date.now(),
    ...(requestId && { requestId }),
    ...(costUsd !== undefined && { cost: moneyOf(costUsd) }),
  }
}

const MAX_TITLE_WORDS = 10
const MAX_TITLE_TOKENS = 16
export const QUESTION_EXCERPT_CHARS = 600
const TITLE_EXCERPT_CHARS = 300

const asking = new Set<string>()

/**
 * Lets the model that answered name a chat, for a few tokens: only where the setting allows it, the chat is stored and
 * unnamed, the model is no demo, and the daily limit has room.
 */
export function titleSoon(conversationId: string): void {
  if (isTemporary(conversationId) || readPreference('titles') !== 'model' || asking.has(conversationId)) return
  asking.add(conversationId)
  nameChat(conversationId)
    .catch(() => undefined)
    .finally(() => asking.delete(conversationId))
}

/** @throws whatever the service or the storage throws. */
export async function nameChat(conversationId: string): Promise<void> {
  const thread = await loadThread(conversationId)
  if (!thread || thread.conversation.isNamed) return
  const request = titleQuestion(thread)
  if (!request || isDemoModel(request.model) || !(await isWithinCaps(request))) return
  const title = cleanTitle((await askInBackground(conversationId, request, 'title'))?.text ?? '')
  if (!title) return
  await databaseOf(conversationId)
    .conversations.where({ id: conversationId })
    .modify((chat) => {
      if (!chat.isNamed) chat.title = title
    })
}

function titleQuestion(thread: StoredThread) {
  const turns = shownTurns(thread)
  const question = turns.find(({ role, text }) => role === 'user' && text)
  const answer = turns.find(({ role, text }) => role === 'assistant' && text)
  if (!question || !answer) return undefined
  const instruction =
    'Give this conversation a title of two to six words, in the language of the question. Reply with the title only.'
  const excerpt = `Question: ${question.text.slice(0, QUESTION_EXCERPT_CHARS)}\n\nAnswer: ${answer.text.slice(0, TITLE_EXCERPT_CHARS)}`
  const model = answer.modelId ?? thread.conversation.modelId
  return backgroundRequest(model, `${instruction}\n\n${excerpt}`, MAX_TITLE_TOKENS)
}

const LABEL =
  /^\s*(?:title|titel|titre|título|titolo|标题|標題|タイトル|answer|antwort|réponse|respuesta|resposta|回答|答案)\s*[:：-]\s*/i
const ECHO =
  /^\s*(?:question|frage|pregunta|pergunta|问题|質問)\s*[:：]|title of two to six words|reply with the title/i

export function cleanTitle(reply: string): string {
  const line =
    reply
      .replace(/<think>[\s\S]*?(<\/think>|$)/g, '')
      .split(/[\r\n]+/)
      .map((candidate) => candidate.replace(/[*_`~#>]+/g, '').replace(LABEL, ''))
      // A line that ends in a colon says what comes next.
      .find((candidate) => /[\p{L}\p{N}]/u.test(candidate) && !/[:：]\s*$/.test(candidate)) ?? ''
  if (ECHO.test(line)) return ''
  const plain = line
    .replace(/\p{Cc}|[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^["'“”„«»‘’「」]+|["'“”„«»‘’「」]+$/g, '')
    .replace(/[.,;:\s]+$/, '')
    .trim()
  if (plain.split(' ').length > MAX_TITLE_WORDS) return ''
  if (plain.length <= MAX_TITLE_CHARS) return plain
  const cut = Array.from(plain)
    .slice(0, MAX_TITLE_CHARS - 1)
    .join('')
  return `${cut.replace(/\s+\S{0,12}$/, '')}…`
}
