import { askSideRequest, isWithinCaps, QUESTION_EXCERPT_CHARS, sideRequest } from '@/components/chat/side-request'
import { readPreference } from '@/lib/browser/preferences'
import { isDemoModel } from '@/lib/browser/queries'
import { loadThread, MAX_TITLE_CHARS, type StoredThread } from '@/lib/browser/storage/chats'
import { databaseOf } from '@/lib/browser/storage/database'
import { isTemporary } from '@/lib/browser/storage/records'
import { shownTurns } from '@/lib/browser/storage/thread'

const MAX_TITLE_WORDS = 10
const MAX_TITLE_TOKENS = 16
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
  const title = cleanTitle((await askSideRequest(conversationId, request, 'title'))?.text ?? '')
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
  return sideRequest(model, `${instruction}\n\n${excerpt}`, MAX_TITLE_TOKENS)
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
