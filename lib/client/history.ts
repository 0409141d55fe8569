import { Dexie, type EntityTable, type Table } from 'dexie'
import { dayOf } from '@/lib/client/caps'
import type { TokenCount } from '@/lib/client/chat-stream'
import type { Failure } from '@/lib/client/failure'
import { nano, type Usd, ZERO } from '@/lib/core/money'

/** One chat. Times are Unix milliseconds everywhere in this file. */
export type Conversation = {
  id: string
  title: string
  /** The title was given by a person, and is never replaced. */
  isNamed: boolean
  createdAt: number
  /** The last message; renaming does not move a chat. */
  updatedAt: number
  modelId: string
  /** Set while a deletion can still be undone. */
  deletedAt?: number
  /** Which child is shown under a message (`''`: under the start), where it is not the newest one. */
  branches: Record<string, string>
}

export type MessageStatus = 'streaming' | 'done' | 'stopped' | 'failed' | 'interrupted'

/** A node of a chat's tree. Its words are in `parts`. */
export type Message = {
  id: string
  conversationId: string
  /** `''` for the first message. */
  parentId: string
  role: 'user' | 'assistant'
  status: MessageStatus
  createdAt: number
  modelId?: string
  finishReason?: string
  thinkingMs?: number
  failure?: Failure
  /** What the service said about the model while it answered: that it will be retired. */
  notice?: string
}

export type Part = { messageId: string; conversationId: string; i: number; type: 'reasoning' | 'text'; payload: string }

/** What one request took. An answer that was continued has several. */
export type Receipt = {
  id: string
  conversationId: string
  messageId: string
  requestId?: string
  model: string
  tokens: TokenCount
  /** Absent when the service named no price. */
  cost?: Usd
  durationMs: number
  at: number
}

/** The words of an answer that is being written, saved as it grows; gone when it is finished. */
export type Unfinished = { messageId: string; text: string; reasoning: string; savedAt: number }

/** What the answers of one day took in all. A chat that is deleted was paid for all the same. */
export type DaySpending = {
  /** By this device's clock, as `dayOf` writes it. */
  day: string
  spent: Usd
}

/** All chats of this browser. Nothing in it is ever sent but as the messages of a question. */
class HistoryDatabase extends Dexie {
  declare conversations: EntityTable<Conversation, 'id'>
  declare messages: EntityTable<Message, 'id'>
  declare parts: Table<Part, [string, number]>
  declare receipts: EntityTable<Receipt, 'id'>
  declare unfinished: EntityTable<Unfinished, 'messageId'>
  declare spending: EntityTable<DaySpending, 'day'>

  constructor() {
    super('lagoon')
    this.version(1).stores({
      conversations: 'id, updatedAt',
      messages: 'id, conversationId',
      parts: '[messageId+i], conversationId',
      receipts: 'id, conversationId',
      unfinished: 'messageId',
    })
    this.version(2)
      .stores({ spending: 'day' })
      .upgrade(async (transaction) => {
        const receipts: Receipt[] = await transaction.table('receipts').toArray()
        const days = Map.groupBy(receipts, (receipt) => dayOf(receipt.at))
        for (const [day, paid] of days) {
          const spent = nano(paid.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n))
          await transaction.table('spending').put({ day, spent } satisfies DaySpending)
        }
      })
  }
}

export const db = new HistoryDatabase()

/** Everything of one chat, as stored. */
export type StoredThread = {
  conversation: Conversation
  messages: Message[]
  parts: Part[]
  receipts: Receipt[]
}

/** The chats that are shown, latest first. */
export async function listConversations(): Promise<Conversation[]> {
  const all = await db.conversations.orderBy('updatedAt').reverse().toArray()
  return all.filter((conversation) => conversation.deletedAt === undefined)
}

/** One chat with all branches; `undefined` when it is not on this device. */
export function loadThread(id: string): Promise<StoredThread | undefined> {
  return db.transaction('r', db.conversations, db.messages, db.parts, db.receipts, async () => {
    const [conversation, messages, parts, receipts] = await Promise.all([
      db.conversations.get(id),
      db.messages.where({ conversationId: id }).sortBy('createdAt'),
      db.parts.where({ conversationId: id }).toArray(),
      db.receipts.where({ conversationId: id }).sortBy('at'),
    ])
    return conversation && conversation.deletedAt === undefined
      ? { conversation, messages, parts, receipts }
      : undefined
  })
}

/** Adds messages at the end of a branch and shows that branch; makes the chat when it is new. */
export async function addMessages(
  conversation: Pick<Conversation, 'id' | 'title' | 'modelId'>,
  added: { message: Message; text: string }[],
): Promise<void> {
  await db.transaction('rw', db.conversations, db.messages, db.parts, async () => {
    const now = Date.now()
    const known = await db.conversations.get(conversation.id)
    const branches = { ...known?.branches }
    for (const { message, text } of added) {
      branches[message.parentId] = message.id
      await db.messages.add(message)
      if (text) await db.parts.add(textPart(message, text))
    }
    const { id, title, modelId } = conversation
    const base = known ?? { id, title, isNamed: false, createdAt: now }
    // A chat that is written in again is not deleted.
    await db.conversations.put({ ...base, modelId, updatedAt: now, branches, deletedAt: undefined })
  })
}

/** Marks an answer as being written again: it goes on from its text, or starts anew. */
export async function reopenAnswer(id: string, modelId: string): Promise<void> {
  await db.messages.update(id, { status: 'streaming', modelId, failure: undefined, finishReason: undefined })
}

/** Whether an answer still waits where that failure paused it. */
export async function isPausedBy(id: string, failure: Failure): Promise<boolean> {
  const message = await db.messages.get(id)
  if (!message || message.status === 'streaming') return false
  return message.failure?.at === failure.at && message.failure?.requestId === failure.requestId
}

/**
 * Marks a paused answer as being written again, if it is still paused by that failure. False when it is not: another tab,
 * or another click, was first.
 */
export function claimPaused(id: string, modelId: string, failure: Failure): Promise<boolean> {
  return db.transaction('rw', db.messages, async () => {
    if (!(await isPausedBy(id, failure))) return false
    await reopenAnswer(id, modelId)
    return true
  })
}

/** What was paid for answers on a day of this device's clock, by the receipts that it kept. */
export async function spentOn(day: string): Promise<Usd> {
  return (await db.spending.get(day))?.spent ?? ZERO
}

/** Counts what was paid into its day: the cap of a day is for chats and calls together. */
export async function addSpending({ at, cost }: Pick<Receipt, 'at' | 'cost'>): Promise<void> {
  if (!cost) return
  const day = dayOf(at)
  await db.transaction('rw', db.spending, async () => {
    await db.spending.put({ day, spent: nano((await spentOn(day)) + cost) })
  })
}

/** Keeps what is written so far; cheap, called several times a second. */
export async function saveUnfinished(answer: Unfinished): Promise<void> {
  await db.unfinished.put(answer)
}

/** Ends an answer: its words, its outcome and its receipt in one step. Does nothing when the chat was deleted. */
export async function finishAnswer(
  id: string,
  outcome: { changes: Omit<Partial<Message>, 'id'>; text: string; reasoning: string; receipt?: Receipt },
): Promise<void> {
  await db.transaction('rw', db.messages, db.parts, db.receipts, db.unfinished, db.spending, async () => {
    const message = await db.messages.get(id)
    await db.unfinished.delete(id)
    if (outcome.receipt) await addSpending(outcome.receipt)
    if (!message) return
    const { reasoning, text } = outcome
    await db.parts.where('[messageId+i]').between([id, Dexie.minKey], [id, Dexie.maxKey]).delete()
    if (reasoning) await db.parts.put({ ...textPart(message, reasoning), i: 0, type: 'reasoning' })
    if (text) await db.parts.put({ ...textPart(message, text), i: 1 })
    if (outcome.receipt) await db.receipts.put(outcome.receipt)
    await db.messages.put({ ...message, ...outcome.changes })
  })
}

/** Shows another version below a message. */
export async function showBranch(conversationId: string, parentId: string, childId: string): Promise<void> {
  await db.conversations.where({ id: conversationId }).modify((conversation) => {
    conversation.branches[parentId] = childId
  })
}

export async function renameConversation(id: string, title: string): Promise<void> {
  await db.conversations.update(id, { title, isNamed: true })
}

/** Hides a chat; `purgeDeleted` removes it for good once the time to undo is over. */
export async function deleteConversation(id: string): Promise<void> {
  await db.conversations.update(id, { deletedAt: Date.now() })
}

export async function restoreConversation(id: string): Promise<void> {
  await db.conversations.update(id, { deletedAt: undefined })
}

/** Removes the chats that were deleted before `until`, with all that belongs to them. */
export async function purgeDeleted(until: number): Promise<void> {
  const gone = await db.conversations
    .filter(({ deletedAt }) => deletedAt !== undefined && deletedAt <= until)
    .primaryKeys()
  if (gone.length === 0) return
  await db.transaction('rw', db.tables, async () => {
    const messages = await db.messages.where('conversationId').anyOf(gone).primaryKeys()
    await db.unfinished.bulkDelete(messages)
    await db.messages.bulkDelete(messages)
    await db.parts.where('conversationId').anyOf(gone).delete()
    await db.receipts.where('conversationId').anyOf(gone).delete()
    await db.conversations.bulkDelete(gone)
  })
}

function textPart(message: Message, payload: string): Part {
  return { messageId: message.id, conversationId: message.conversationId, i: 0, type: 'text', payload }
}
