import { databaseOf, db, openDatabases } from '@/lib/browser/storage/database'
import type { CharacterRef, Conversation, Message, Part, Receipt } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

export type StoredThread = { conversation: Conversation; messages: Message[]; parts: Part[]; receipts: Receipt[] }

export async function listConversations(): Promise<Conversation[]> {
  const all = await db.conversations.orderBy('updatedAt').reverse().toArray()
  return all.filter((conversation) => conversation.deletedAt === undefined)
}

export function loadConversation(id: string): Promise<Conversation | undefined> {
  return databaseOf(id).conversations.get(id)
}

export function loadThread(id: string): Promise<StoredThread | undefined> {
  const { conversations, messages, parts, receipts } = databaseOf(id)
  return conversations.db.transaction('r', conversations, messages, parts, receipts, async () => {
    const [conversation, nodes, messageParts, paid] = await Promise.all([
      conversations.get(id),
      messages.where({ conversationId: id }).sortBy('createdAt'),
      parts.where({ conversationId: id }).toArray(),
      receipts.where({ conversationId: id }).sortBy('at'),
    ])
    return conversation && conversation.deletedAt === undefined
      ? { conversation, messages: nodes, parts: messageParts, receipts: paid }
      : undefined
  })
}

export type ConversationStart = Pick<Conversation, 'id' | 'title' | 'modelId'> &
  Partial<Pick<Conversation, 'settings' | 'character' | 'folderId'>>

export async function addMessages(
  { title, ...start }: ConversationStart,
  added: { message: Message; text: string }[],
): Promise<void> {
  const { conversations, messages, parts } = databaseOf(start.id)
  await conversations.db.transaction('rw', conversations, messages, parts, async () => {
    const now = Date.now()
    const known = await conversations.get(start.id)
    const branches = { ...known?.branches }
    for (const { message, text } of added) {
      branches[message.parentId] = message.id
      await messages.add(message)
      if (text) await parts.add(textPart(message, text))
    }
    const base = known ?? { title, isNamed: false, createdAt: now }
    // A chat that is written in again is not deleted.
    await conversations.put({ ...base, ...start, updatedAt: now, branches, deletedAt: undefined })
  })
}

export async function changeConversation(
  id: string,
  changes: Partial<Omit<Conversation, 'id' | 'createdAt' | 'updatedAt' | 'branches'>>,
): Promise<void> {
  await databaseOf(id).conversations.update(id, changes)
}

export const MAX_TITLE_CHARS = 60
const MIN_TITLE_CHARS = 30

/** Returns the first line of a message, cut at a word, as the title of its chat until the model has written one. */
export function titleOf(text: string, fallback: string = t('New chat')): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  if (line === '') return fallback
  if (line.length <= MAX_TITLE_CHARS) return line
  const space = line.lastIndexOf(' ', MAX_TITLE_CHARS)
  return `${line.slice(0, space > MIN_TITLE_CHARS ? space : MAX_TITLE_CHARS)}…`
}

export async function renameConversation(id: string, title: string): Promise<void> {
  await changeConversation(id, { title, isNamed: true })
}

export async function purgeDeleted(until: number): Promise<void> {
  for (const database of openDatabases()) {
    const { conversations, messages, parts, receipts, unfinished } = database
    const gone = await conversations
      .filter(({ deletedAt }) => deletedAt !== undefined && deletedAt <= until)
      .primaryKeys()
    if (gone.length === 0) continue
    const waiting = gone.flatMap(takeWritten)
    await database.transaction('rw', database.tables, async () => {
      const ids = await messages.where('conversationId').anyOf(gone).primaryKeys()
      await unfinished.bulkDelete(ids)
      await messages.bulkDelete(ids)
      await parts.where('conversationId').anyOf(gone).delete()
      await receipts.where('conversationId').anyOf(gone).delete()
      await database.draftFiles.bulkDelete([...gone, ...waiting])
      await conversations.bulkDelete(gone)
    })
  }
}

/** Removes draft and queue of a chat from localStorage. @returns the ids of the queued messages. */
function takeWritten(conversationId: string): string[] {
  try {
    const queue = `lagoon:queue:${conversationId}`
    const stored: unknown = JSON.parse(localStorage.getItem(queue) ?? '[]')
    localStorage.removeItem(queue)
    localStorage.removeItem(`lagoon:draft:${conversationId}`)
    return Array.isArray(stored) ? stored.flatMap((row) => (typeof row?.id === 'string' ? [row.id] : [])) : []
  } catch {
    // Storage is switched off: nothing was written there.
    return []
  }
}

export function textPart(message: Message, payload: string): Part {
  return { messageId: message.id, conversationId: message.conversationId, i: 0, type: 'text', payload }
}

export async function setUnread(id: string, isUnread: boolean): Promise<void> {
  await db.conversations.where({ id }).modify((chat) => {
    if (isUnread) chat.isUnread = true
    else delete chat.isUnread
  })
}

const MAX_CHATS = 200

/**
 * Returns the models of the latest chats, each once. Derived from the chats, so that a deleted or temporary one leaves
 * no trace.
 */
export async function recentModels(max: number): Promise<string[]> {
  return distinct(await lastChats(), ({ modelId }) => modelId, max)
}

export async function recentCharacters(max: number): Promise<CharacterRef[]> {
  const chats = await lastChats()
  const refs = new Map(chats.flatMap(({ character }) => (character ? [[character.id, character]] : [])))
  const ids = distinct(chats, ({ character }) => character?.id, max)
  return ids.flatMap((id) => refs.get(id) ?? [])
}

async function lastChats(): Promise<Conversation[]> {
  const latest = await db.conversations.orderBy('updatedAt').reverse().limit(MAX_CHATS).toArray()
  return latest.filter(({ deletedAt }) => deletedAt === undefined)
}

function distinct(chats: Conversation[], pick: (chat: Conversation) => string | undefined, max: number): string[] {
  return [...new Set(chats.flatMap((chat) => pick(chat) ?? []))].slice(0, max)
}
