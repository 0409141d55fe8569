import { db } from '@/lib/browser/storage/database'
import type { CharacterRef, Conversation } from '@/lib/browser/storage/records'

/** Chats that are looked through for what was used last. */
const MAX_CHATS = 200

/**
 * The models of the chats that were written in last, each once. The chats themselves are what remembers: one that is
 * deleted, or was temporary, leaves no trace here either.
 */
export async function recentModels(most: number): Promise<string[]> {
  return distinct(await lastChats(), ({ modelId }) => modelId, most)
}

/** The characters of the chats that were written in last, each once. */
export async function recentCharacters(most: number): Promise<CharacterRef[]> {
  const chats = await lastChats()
  const refs = new Map(chats.flatMap(({ character }) => (character ? [[character.id, character]] : [])))
  const ids = distinct(chats, ({ character }) => character?.id, most)
  return ids.flatMap((id) => refs.get(id) ?? [])
}

async function lastChats(): Promise<Conversation[]> {
  const latest = await db.conversations.orderBy('updatedAt').reverse().limit(MAX_CHATS).toArray()
  return latest.filter(({ deletedAt }) => deletedAt === undefined)
}

function distinct(chats: Conversation[], pick: (chat: Conversation) => string | undefined, most: number): string[] {
  return [...new Set(chats.flatMap((chat) => pick(chat) ?? []))].slice(0, most)
}
