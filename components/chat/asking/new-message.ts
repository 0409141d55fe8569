import { newSetup, type Setup } from '@/lib/browser/chat-setup'
import { loadConversation, loadThread } from '@/lib/browser/storage/chats'
import type { CharacterRef, ChatSettings, Message } from '@/lib/browser/storage/records'
import { shownTurns, type Turn } from '@/lib/browser/storage/thread'
import { uuid } from '@/lib/contract/ids'
import { t } from '@/lib/i18n/t'

const MAX_TITLE_CHARS = 60
/** A title is cut between words, where that leaves at least this much. */
const MIN_TITLE_CHARS = 30

type Fields = Pick<Message, 'conversationId' | 'parentId' | 'role' | 'status'> & Partial<Message>

/** A message that follows `after`. Messages are ordered by their time, and two are made in the same millisecond. */
export function newMessage({ after, ...fields }: Fields & { after?: Message }): Message {
  return { id: uuid(), createdAt: Math.max(Date.now(), (after?.createdAt ?? 0) + 1), ...fields }
}

export type AnswerPlan = { conversationId: string; modelId: string; settings: ChatSettings; character?: CharacterRef }

/** What an answer is before its first word: who gives it, and what it was asked with. */
export function pendingAnswer({ conversationId, modelId, settings, character }: AnswerPlan) {
  return {
    conversationId,
    modelId,
    role: 'assistant' as const,
    status: 'streaming' as const,
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(character && { character }),
  }
}

/** How a chat asks now; for one that is new, how the next one will. */
export async function setupOf(chatId: string | null): Promise<Setup> {
  if (chatId === null) return newSetup()
  const chat = await loadConversation(chatId)
  return { settings: chat?.settings ?? {}, ...(chat?.character && { character: chat.character }) }
}

export async function turnsOf(conversationId: string): Promise<Turn[]> {
  const thread = await loadThread(conversationId)
  return thread ? shownTurns(thread) : []
}

export async function turnsBefore(conversationId: string, turn: Pick<Turn, 'id'>): Promise<Turn[]> {
  const turns = await turnsOf(conversationId)
  const at = turns.findIndex(({ id, versions }) => id === turn.id || versions.includes(turn.id))
  return at === -1 ? turns : turns.slice(0, at)
}

/** What a chat is called until it has a better name: its first line, cut between words. */
export function titleOf(text: string, fallback: string = t('New chat')): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  if (line === '') return fallback
  if (line.length <= MAX_TITLE_CHARS) return line
  const space = line.lastIndexOf(' ', MAX_TITLE_CHARS)
  return `${line.slice(0, space > MIN_TITLE_CHARS ? space : MAX_TITLE_CHARS)}…`
}
