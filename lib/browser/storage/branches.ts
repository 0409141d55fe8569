import { databaseOf } from '@/lib/browser/storage/database'
import type { Conversation, Message, Part } from '@/lib/browser/storage/records'
import { pathTo } from '@/lib/browser/storage/thread'
import { uuid } from '@/lib/contract/ids'
import { t } from '@/lib/i18n/t'

export type ForkExtent = 'path' | 'versions' | 'everything'

/**
 * Copies a chat into a new one. Receipts stay where they were paid: copied, their sum would be more than was charged.
 * @param newId it is stored where the old chat is.
 */
export async function forkConversation(
  conversationId: string,
  messageId: string,
  extent: ForkExtent,
  newId: string,
): Promise<void> {
  const { conversations, messages, parts } = databaseOf(conversationId)
  await conversations.db.transaction('rw', conversations, messages, parts, async () => {
    const old = await conversations.get(conversationId)
    if (!old) throw new Error('There is no such chat.')
    const all = await messages.where({ conversationId }).sortBy('createdAt')
    const branch = forked(all, messageId, extent)
    const ids = new Set(branch.map(({ id }) => id))
    const messageParts = (await parts.where({ conversationId }).toArray()).filter((part) => ids.has(part.messageId))
    const copy = copied(old, all, branch, messageParts, messageId, newId)
    await conversations.add(copy.conversation)
    await messages.bulkAdd(copy.messages)
    await parts.bulkAdd(copy.parts)
  })
}

function forked(all: Message[], messageId: string, extent: ForkExtent): Message[] {
  if (extent === 'everything') return all
  const path = new Set(pathTo(all, messageId).map(({ id }) => id))
  if (extent === 'path') return all.filter(({ id }) => path.has(id))
  const below = withAllBelow(all, messageId)
  return all.filter(({ id }) => id === messageId || !below.has(id))
}

export function withAllBelow(all: Message[], messageId: string): Set<string> {
  const children = Map.groupBy(all, ({ parentId }) => parentId)
  const found = new Set([messageId])
  // A set grows while it is walked, and holds each message once.
  for (const id of found) for (const child of children.get(id) ?? []) found.add(child.id)
  return found
}

type Copy = { conversation: Conversation; messages: Message[]; parts: Part[] }

function copied(
  { folderId, settings, character, title, modelId, branches }: Conversation,
  all: Message[],
  messages: Message[],
  messageParts: Part[],
  messageId: string,
  newId: string,
): Copy {
  const now = Date.now()
  // A branch of a branch is one of the same chat; a name that was given once is kept.
  const branchTitle = title.startsWith(t('Branch of {title}', { title: '' }))
    ? title
    : t('Branch of {title}', { title })
  const names = new Map(messages.map(({ id }) => [id, uuid()]))
  const named = (id: string) => names.get(id) ?? ''
  const shown = Object.entries(branches).filter(
    ([parent, child]) => (parent === '' || names.has(parent)) && names.has(child),
  )
  const way = pathTo(all, messageId)
  const chosen = way.map(({ id }, at): [string, string] => [way[at - 1]?.id ?? '', id])
  return {
    conversation: {
      id: newId,
      title: branchTitle,
      isNamed: true,
      modelId,
      createdAt: now,
      updatedAt: now,
      branches: Object.fromEntries([...shown, ...chosen].map(([parent, child]) => [named(parent), named(child)])),
      ...(settings && { settings }),
      ...(character && { character }),
      ...(folderId && { folderId }),
    },
    messages: messages.map(({ unpriced: _, comparison: __, ...message }) => ({
      ...message,
      id: named(message.id),
      parentId: named(message.parentId),
      conversationId: newId,
      // What still grows goes on where it was asked.
      ...(message.status === 'streaming' && { status: 'interrupted' as const }),
    })),
    parts: messageParts.map((part) => ({ ...part, messageId: named(part.messageId), conversationId: newId })),
  }
}

export async function keepCompared(conversationId: string, parentId: string, existingId: string): Promise<void> {
  const { conversations, messages } = databaseOf(conversationId)
  await conversations.db.transaction('rw', conversations, messages, async () => {
    await messages
      .where({ conversationId })
      .filter((message) => message.parentId === parentId && message.comparison !== undefined)
      .modify((message) => {
        delete message.comparison
      })
    await conversations.where({ id: conversationId }).modify((conversation) => {
      conversation.branches[parentId] = existingId
    })
  })
}

type Removed = {
  conversationId: string
  parentId: string
  shown: string | undefined
  messages: Message[]
  parts: Part[]
}

export async function removeMessage(conversationId: string, messageId: string): Promise<Removed | undefined> {
  const { conversations, messages, parts } = databaseOf(conversationId)
  return await conversations.db.transaction('rw', conversations, messages, parts, async () => {
    const all = await messages.where({ conversationId }).toArray()
    const first = all.find(({ id }) => id === messageId)
    if (!first) return undefined
    const ids = withAllBelow(all, messageId)
    const gone = all.filter(({ id }) => ids.has(id))
    const messageParts = (await parts.where({ conversationId }).toArray()).filter((part) => ids.has(part.messageId))
    await messages.bulkDelete([...ids])
    await parts.bulkDelete(messageParts.map(({ messageId: of, i }): [string, number] => [of, i]))
    const chat = await conversations.get(conversationId)
    const shown = chat?.branches[first.parentId]
    // What was asked for them is paid for all the same: the chat goes on looking for its price.
    const unpriced = gone.flatMap((message) => message.unpriced ?? [])
    if (chat && unpriced.length > 0) {
      await conversations.put({ ...chat, unpriced: [...(chat.unpriced ?? []), ...unpriced] })
    }
    return { conversationId, parentId: first.parentId, shown, messages: gone, parts: messageParts }
  })
}

export async function restoreRemoved({
  conversationId,
  parentId,
  shown,
  messages: gone,
  parts: messageParts,
}: Removed): Promise<void> {
  const { conversations, messages, parts } = databaseOf(conversationId)
  await conversations.db.transaction('rw', conversations, messages, parts, async () => {
    await messages.bulkPut(gone)
    await parts.bulkPut(messageParts)
    await conversations.where({ id: conversationId }).modify((conversation) => {
      if (shown) conversation.branches[parentId] = shown
    })
  })
}

export function revealMessage(conversationId: string, messageId: string): Promise<boolean> {
  const { conversations, messages } = databaseOf(conversationId)
  return conversations.db.transaction('rw', conversations, messages, async () => {
    const [chat, all] = await Promise.all([
      conversations.get(conversationId),
      messages.where({ conversationId }).toArray(),
    ])
    const way = pathTo(all, messageId)
    if (!chat || way.length === 0) return false
    const chosen = Object.fromEntries(way.map(({ id, parentId }) => [parentId, id]))
    await conversations.update(conversationId, { branches: { ...chat.branches, ...chosen } })
    return true
  })
}

export async function showBranch(conversationId: string, parentId: string, childId: string): Promise<void> {
  await databaseOf(conversationId)
    .conversations.where({ id: conversationId })
    .modify((conversation) => {
      conversation.branches[parentId] = childId
    })
}
