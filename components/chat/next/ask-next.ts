import { keepNext, nextOf } from '@/components/chat/next/next-store'
import { askSideRequest, isWithinCaps, QUESTION_EXCERPT_CHARS, sideRequest } from '@/components/chat/side-request'
import { announce } from '@/components/ui/announcer'
import { showToast } from '@/components/ui/toast'
import { passGate } from '@/lib/browser/account-gate'
import { failureOf } from '@/lib/browser/failure'
import { isDemoModel, isFreeModel, refreshMoney } from '@/lib/browser/queries'
import { assertDay } from '@/lib/browser/spending'
import { loadThread, type StoredThread } from '@/lib/browser/storage/chats'
import { shownTurns, type Turn, turnsTo } from '@/lib/browser/storage/thread'
import { plural, t } from '@/lib/i18n/t'

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
    why: t('To get follow-up suggestions'),
    whyCredit: t('Your request continues as soon as you add credit.'),
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
  const reply = await askSideRequest(conversationId, request, 'suggestions')
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
  return sideRequest(
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
