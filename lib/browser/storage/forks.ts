import { databaseOf } from '@/lib/browser/storage/database'
import type { Conversation, Message, Part } from '@/lib/browser/storage/records'
import { uuid } from '@/lib/contract/ids'
import { t } from '@/lib/i18n/t'

/** How much of a chat goes into a new one: the words up to a message, those with their other versions, or all of it. */
export type ForkExtent = 'path' | 'versions' | 'everything'

/**
 * Begins a new chat with what an old one has, and says what it is called. Receipts stay where they were paid: copied, the
 * sum of all receipts would be more than was charged.
 *
 * @param newId the id of the new chat; it is kept where the old one is.
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
    const kept = forked(all, messageId, extent)
    const ids = new Set(kept.map(({ id }) => id))
    const words = (await parts.where({ conversationId }).toArray()).filter((part) => ids.has(part.messageId))
    const copy = copied(old, all, kept, words, messageId, newId)
    await conversations.add(copy.conversation)
    await messages.bulkAdd(copy.messages)
    await parts.bulkAdd(copy.parts)
  })
}

/** The messages that a fork takes along, in the order in which they are given. */
function forked(all: Message[], messageId: string, extent: ForkExtent): Message[] {
  if (extent === 'everything') return all
  const path = new Set(pathTo(all, messageId))
  if (extent === 'path') return all.filter(({ id }) => path.has(id))
  const below = withAllBelow(all, messageId)
  return all.filter(({ id }) => id === messageId || !below.has(id))
}

/** A message and all that follows it, by their ids. */
export function withAllBelow(all: Message[], messageId: string): Set<string> {
  const children = Map.groupBy(all, ({ parentId }) => parentId)
  const found = new Set([messageId])
  // A set grows while it is walked, and holds each message once.
  for (const id of found) for (const child of children.get(id) ?? []) found.add(child.id)
  return found
}

/** From the first message of a chat down to one, by their ids. */
export function pathTo(all: Message[], messageId: string): string[] {
  const byId = new Map(all.map((message) => [message.id, message]))
  const path: string[] = []
  // Each step removes its message, so that not even a ring of parents goes on for ever.
  for (let at = byId.get(messageId); at; at = byId.get(at.parentId)) {
    path.unshift(at.id)
    byId.delete(at.id)
  }
  return path
}

type Copy = { conversation: Conversation; messages: Message[]; parts: Part[] }

function copied(
  { folderId, settings, character, title, modelId, branches }: Conversation,
  all: Message[],
  kept: Message[],
  words: Part[],
  messageId: string,
  newId: string,
): Copy {
  const now = Date.now()
  // A branch of a branch is one of the same chat; a name that was given once is kept.
  const branchTitle = title.startsWith(t('Branch of {title}', { title: '' }))
    ? title
    : t('Branch of {title}', { title })
  const names = new Map(kept.map(({ id }) => [id, uuid()]))
  const named = (id: string) => names.get(id) ?? ''
  const shown = Object.entries(branches).filter(
    ([parent, child]) => (parent === '' || names.has(parent)) && names.has(child),
  )
  const way = pathTo(all, messageId)
  const chosen = way.map((id, at): [string, string] => [way[at - 1] ?? '', id])
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
    messages: kept.map(({ unpriced: _, comparison: __, ...message }) => ({
      ...message,
      id: named(message.id),
      parentId: named(message.parentId),
      conversationId: newId,
      // What still grows goes on where it was asked.
      ...(message.status === 'streaming' && { status: 'interrupted' as const }),
    })),
    parts: words.map((part) => ({ ...part, messageId: named(part.messageId), conversationId: newId })),
  }
}
