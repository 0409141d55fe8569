import { Dexie } from 'dexie'
import type { Failure } from '@/lib/browser/failure'
import { textPart } from '@/lib/browser/storage/chats'
import { databaseOf, type HistoryDatabase } from '@/lib/browser/storage/database'
import type { Message, Receipt, Unfinished, UnpricedRequest } from '@/lib/browser/storage/records'
import { addSpending } from '@/lib/browser/storage/spending'

export type AnswerKey = Pick<Message, 'id' | 'conversationId'>

/**
 * Marks an answer as being written again: it goes on from its text, or starts anew. `request` is stored before it is
 * sent, so that its price is found whatever happens to the page.
 */
export async function reopenAnswer(
  { id, conversationId }: AnswerKey,
  changes: Partial<Message>,
  request: UnpricedRequest,
): Promise<void> {
  await databaseOf(conversationId)
    .messages.where({ id })
    .modify((message) => {
      Object.assign(message, changes, { status: 'streaming', unpriced: [...(message.unpriced ?? []), request] })
      delete message.failure
      delete message.finishReason
      delete message.wasLeft
    })
}

export async function isPausedBy({ id, conversationId }: AnswerKey, failure: Failure): Promise<boolean> {
  const message = await databaseOf(conversationId).messages.get(id)
  if (!message || message.status === 'streaming') return false
  return message.failure?.at === failure.at && message.failure?.requestId === failure.requestId
}

/**
 * Marks a paused answer as being written again, if that failure still pauses it. False when another tab or click was
 * first.
 */
export function claimPaused(
  key: AnswerKey,
  changes: Partial<Message>,
  failure: Failure,
  request: UnpricedRequest,
): Promise<boolean> {
  const { messages } = databaseOf(key.conversationId)
  return messages.db.transaction('rw', messages, async () => {
    if (!(await isPausedBy(key, failure))) return false
    await reopenAnswer(key, changes, request)
    return true
  })
}

export async function saveUnfinished(conversationId: string, answer: Unfinished): Promise<void> {
  await databaseOf(conversationId).unfinished.put(answer)
}

export function loadUnfinished({ id, conversationId }: AnswerKey): Promise<Unfinished | undefined> {
  return databaseOf(conversationId).unfinished.get(id)
}

export type Outcome = {
  changes: Omit<Partial<Message>, 'id' | 'unpriced'>
  text: string
  reasoning: string
  receipt?: Receipt
  freeRequest?: string
  left?: UnpricedRequest
}

/**
 * Ends an answer: text, outcome and receipt in one transaction. What was paid is stored also where the answer was
 * deleted meanwhile; in a chat that is gone, only the day counts it.
 */
export async function finishAnswer({ id, conversationId }: AnswerKey, outcome: Outcome): Promise<void> {
  const database = databaseOf(conversationId)
  const { messages, parts, unfinished } = database
  await database.transaction('rw', moneyTables(database, messages, parts, unfinished), async () => {
    await unfinished.delete(id)
    if (outcome.receipt) await putReceipt(database, outcome.receipt)
    const message = await messages.get(id)
    if (!message) return await dropUnpriced(database, conversationId, [outcome.receipt?.id, outcome.freeRequest])
    const { reasoning, text } = outcome
    await parts.where('[messageId+i]').between([id, Dexie.minKey], [id, Dexie.maxKey]).delete()
    if (reasoning) await parts.put({ ...textPart(message, reasoning), i: 0, type: 'reasoning' })
    if (text) await parts.put({ ...textPart(message, text), i: 1 })
    const rest = without(message, [outcome.receipt?.id, outcome.freeRequest])
    const { left } = outcome
    const unpriced = rest.unpriced?.map((request) => (left && request.id === left.id ? left : request))
    await messages.put({ ...rest, ...outcome.changes, ...(unpriced && { unpriced }) })
  })
}

export async function interruptAnswer(key: AnswerKey): Promise<boolean> {
  const database = databaseOf(key.conversationId)
  const { messages, parts, unfinished } = database
  return await database.transaction('rw', moneyTables(database, messages, parts, unfinished), async () => {
    if ((await messages.get(key.id))?.status !== 'streaming') return false
    const left: Partial<Unfinished> = (await unfinished.get(key.id)) ?? {}
    const { text = '', reasoning = '', thinkingMs, citations, steps } = left
    await finishAnswer(key, {
      text,
      reasoning,
      changes: {
        status: 'interrupted',
        wasLeft: true,
        ...(thinkingMs !== undefined && { thinkingMs }),
        ...(citations && { citations }),
        ...(steps && { steps }),
      },
    })
    return true
  })
}

export type Unpriced = AnswerKey & Pick<Message, 'unpriced'>

export async function listUnpriced(conversationId: string): Promise<Unpriced[]> {
  const { conversations, messages } = databaseOf(conversationId)
  const own = (await conversations.get(conversationId))?.unpriced
  const all = await messages.where({ conversationId }).toArray()
  const open = all.filter(
    ({ status, unpriced }) => status !== 'streaming' && unpriced !== undefined && unpriced.length > 0,
  )
  return own && own.length > 0 ? [...open, { id: '', conversationId, unpriced: own }] : open
}

/** Stores a request that belongs to no message, before it is sent. False when the chat is gone. */
export async function noteRequest(conversationId: string, request: UnpricedRequest): Promise<boolean> {
  const noted = await databaseOf(conversationId)
    .conversations.where({ id: conversationId })
    .modify((chat) => {
      chat.unpriced = [...(chat.unpriced ?? []), request]
    })
  return noted > 0
}

/** Stores the price of an aborted request, once, whichever tab learnt it; without a receipt it cost nothing. */
export async function priceRequest(
  { id, conversationId }: AnswerKey,
  requestId: string,
  receipt?: Receipt,
): Promise<void> {
  const database = databaseOf(conversationId)
  const { messages } = database
  await database.transaction('rw', moneyTables(database, messages), async () => {
    if (receipt) await putReceipt(database, receipt)
    const message = await messages.get(id)
    if (message) await messages.put(without(message, [requestId]))
    await dropUnpriced(database, conversationId, [requestId])
  })
}

async function dropUnpriced(
  { conversations }: HistoryDatabase,
  conversationId: string,
  known: (string | undefined)[],
): Promise<void> {
  const chat = await conversations.get(conversationId)
  if (chat?.unpriced) await conversations.put(without(chat, known))
}

type AnyTable = HistoryDatabase['tables'][number]

const moneyTables = ({ conversations, receipts, spending }: HistoryDatabase, ...others: unknown[]) =>
  // A table of one kind of rows is a table; Dexie's types do not say so.
  [conversations, receipts, spending, ...others] as unknown as AnyTable[]

/** Keyed by request: learnt twice, it is paid once. */
async function putReceipt({ conversations, receipts }: HistoryDatabase, receipt: Receipt): Promise<void> {
  if (await receipts.get(receipt.id)) return
  await addSpending(receipt, receipt.conversationId)
  if (await conversations.get(receipt.conversationId)) await receipts.put(receipt)
}

function without<T extends { unpriced?: UnpricedRequest[] }>(record: T, known: (string | undefined)[]): T {
  const unpriced = record.unpriced?.filter((request) => !known.includes(request.id))
  const rest = { ...record }
  delete rest.unpriced
  return unpriced && unpriced.length > 0 ? { ...rest, unpriced } : rest
}
