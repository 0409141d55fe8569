import { keepNext, nextOf } from '@/components/chat/next/next-store'
import { costOf, parseTokens } from '@/components/chat/stream'
import { announce } from '@/components/ui/announcer'
import { showToast } from '@/components/ui/toast'
import { passGate } from '@/lib/browser/account-gate'
import { API_ROOT, asReply, type Loose, postJson } from '@/lib/browser/api'
import { newRequest } from '@/lib/browser/charge'
import { failureOf } from '@/lib/browser/failure'
import { moneyOf } from '@/lib/browser/format/cost'
import { dayOf } from '@/lib/browser/format/day'
import { readPreference } from '@/lib/browser/preferences'
import { isDemoModel, isFreeModel, modelsQuery, queryClient, refreshMoney } from '@/lib/browser/queries'
import { assertDay } from '@/lib/browser/spending'
import { fitToCap, isDaySpent, parseCap, promptTokens } from '@/lib/browser/spending-cap'
import { noteRequest, priceRequest } from '@/lib/browser/storage/answers'
import { loadThread, type StoredThread } from '@/lib/browser/storage/chats'
import { databaseOf } from '@/lib/browser/storage/database'
import { isTemporary, type Purpose, type Receipt } from '@/lib/browser/storage/records'
import { spentOn } from '@/lib/browser/storage/spending'
import { shownTurns, type Turn, turnsTo } from '@/lib/browser/storage/thread'
import type { ChatCompletion } from '@/lib/contract/chat.schema'
import { ApiError } from '@/lib/contract/errors'
import { REQUEST_ID_HEADER, REQUEST_NAME_HEADER } from '@/lib/contract/headers'
import { plural, t } from '@/lib/i18n/t'

const TIMEOUT_MS = 30_000

type BackgroundRequest = ReturnType<typeof backgroundRequest>

type BackgroundReply = { text: string; isCut: boolean }

function backgroundRequest(model: string, content: string, maxTokens: number) {
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

async function isWithinCaps(request: BackgroundRequest): Promise<boolean> {
  return !(await isCapReached()) && (await fitsOneMessage(request))
}

/**
 * Sends a background request and keeps its cost with the chat; nothing when the chat is gone meanwhile. @throws
 * whatever the service or the storage throws; a refused request is free.
 */
async function askInBackground(
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

const MAX_TITLE_CHARS = 60
const MAX_TITLE_WORDS = 10
const MAX_TITLE_TOKENS = 16
const QUESTION_EXCERPT_CHARS = 600
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

/** Suggests follow-ups after an answer, for those who switched it on. Fails silently. */
export async function suggestSoon(conversationId: string): Promise<void> {
  const thread = await loadThread(conversationId)
  const last = thread && shownTurns(thread).at(-1)
  if (last?.role !== 'assistant' || last.compared || !last.text || nextOf(last.id) === 'asking') return
  // An answer that went on has other ends than before.
  keepNext(last.id)
  const questions = await askNextQuestions(conversationId, last.id).catch(() => undefined)
  if (questions && questions.length > 0) keepNext(last.id, questions)
}

export async function suggestNow(conversationId: string, { id, modelId = '' }: Turn): Promise<void> {
  if (nextOf(id)) return
  if (!navigator.onLine) return showToast({ text: t('You’re offline.') })
  keepNext(id, 'asking')
  try {
    const questions = await askWithLeave(conversationId, id, modelId)
    keepNext(id, questions && questions.length > 0 ? questions : undefined)
    if (questions?.length === 0) showToast({ text: t('No follow-ups suggested.') })
    if (questions && questions.length > 0)
      announce(plural(questions.length, { one: '{count} follow-up suggested', other: '{count} follow-ups suggested' }))
  } catch (error) {
    keepNext(id)
    showToast({ text: failureOf(error).message })
  }
}

/** @throws CapReached, and whatever the service throws. */
async function askWithLeave(conversationId: string, id: string, modelId: string): Promise<string[] | undefined> {
  const refused = await passGate({
    why: t('To suggest follow-ups'),
    whyCredit: t('Continues as soon as you add credit.'),
    isFree: isFreeModel(modelId),
  })
  if (refused) return undefined
  await assertDay()
  const questions = await askNextQuestions(conversationId, id)
  if (questions) refreshMoney()
  else showToast({ text: t('Suggestions would exceed your cap per message. Raise the cap to get them.') })
  return questions
}

const MAX_QUESTIONS = 3
const MAX_QUESTION_CHARS = 140
/** Three short questions, in languages that take a token for a character, too. */
const MAX_SUGGESTION_TOKENS = 140
const MAX_READ_CHARS = 4_000
/** Of the beginning of an answer, and of its end. */
const ANSWER_EXCERPT_CHARS = 600

/**
 * Asks the model that answered for up to three follow-ups; nothing where a spending limit forbids it, the model is a
 * demo, or there is no such answer. @throws whatever the service or the storage throws.
 */
export async function askNextQuestions(conversationId: string, answerId: string): Promise<string[] | undefined> {
  const thread = await loadThread(conversationId)
  const request = thread && nextQuestion(thread, answerId)
  if (!request || isDemoModel(request.model) || !(await isWithinCaps(request))) return undefined
  const reply = await askInBackground(conversationId, request, 'suggestions')
  return reply && cleanQuestions(reply.text, reply.isCut)
}

export function nextQuestion(thread: StoredThread, answerId: string) {
  const turns = turnsTo(thread, answerId)
  const answer = turns.at(-1)
  const question = turns.findLast(({ role, text }) => role === 'user' && text)
  if (answer?.role !== 'assistant' || !answer.text || !question) return undefined
  const instruction =
    'Write three short questions that the reader of this answer might ask next, in the language of the question. ' +
    'One on each line, at most twelve words each, without numbers. Reply with the questions only.'
  const excerpt = `Question: ${question.text.slice(0, QUESTION_EXCERPT_CHARS)}\n\nAnswer: ${excerptOf(answer.text)}`
  return backgroundRequest(
    answer.modelId ?? thread.conversation.modelId,
    `${instruction}\n\n${excerpt}`,
    MAX_SUGGESTION_TOKENS,
  )
}

function excerptOf(text: string): string {
  if (text.length <= 2 * ANSWER_EXCERPT_CHARS) return text
  return `${text.slice(0, ANSWER_EXCERPT_CHARS)}\n…\n${text.slice(-ANSWER_EXCERPT_CHARS)}`
}

/** Reads a reply as questions, each one line of plain text. `isCut`: the last line broke off. */
export function cleanQuestions(reply: string, isCut = false): string[] {
  const lines = reply
    .slice(0, MAX_READ_CHARS)
    .replace(/<think>[\s\S]*?(<\/think>|$)/g, '')
    .split(/[\r\n]+/)
  const isLastCut = isCut || reply.length > MAX_READ_CHARS
  const plain = (isLastCut ? lines.slice(0, -1) : lines).map(plainLine).filter(isShort)
  // A model may say what it is about to do; where something is asked, the rest is no question.
  const questions = plain.filter((line) => ENDS_AS_QUESTION.test(line))
  return [...new Set(questions.length > 0 ? questions : plain)].slice(0, MAX_QUESTIONS)
}

const ENDS_AS_QUESTION = /[?？؟;՞]$/u
const LIST_MARK = /^\s*(?:(?:\d{1,2}[.)、]|[-–—•·*>#/@]+|q\d?:)\s*)+/i
const QUOTES = /^[\s"'“”„«»‘’「」[\],]+|[\s"'“”„«»‘’「」[\],]+$/g

const plainLine = (line: string): string =>
  line
    .replace(/\p{Cc}|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu, ' ')
    .replace(/\*\*+|__+|~~+|`+/g, '')
    .replace(/\*(\S[^*]*)\*/g, '$1')
    .replace(QUOTES, '')
    .replace(LIST_MARK, '')
    .replace(QUOTES, '')
    .replace(/\s+/g, ' ')
    .trim()

const isShort = (line: string): boolean =>
  line.length <= MAX_QUESTION_CHARS && /[\p{L}\p{N}]/u.test(line) && !/[:：]$/.test(line)
