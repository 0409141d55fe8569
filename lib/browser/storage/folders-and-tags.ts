import { db } from '@/lib/browser/storage/database'
import type { Conversation, Folder } from '@/lib/browser/storage/records'
import { uuid } from '@/lib/contract/ids'
import { plural, t } from '@/lib/i18n/t'

export const MAX_FOLDER_CHARS = 60
const MAX_FOLDERS = 200
export const MAX_TAG_CHARS = 30
export const MAX_TAGS = 12

export type ChatChanges = Pick<Conversation, 'folderId' | 'isPinned' | 'isArchived' | 'tags' | 'isUnread' | 'deletedAt'>

export function listFolders(): Promise<Folder[]> {
  return db.folders.toArray().then((all) => all.toSorted((a, b) => a.position - b.position || compare(a.id, b.id)))
}

/** @throws Error when there are too many, or the name is empty. */
export function makeFolder(name: string): Promise<Folder> {
  const clean = cleanName(name, MAX_FOLDER_CHARS)
  if (!clean) throw new Error(t('Enter a folder name.'))
  return db.transaction('rw', db.folders, async () => {
    const all = await db.folders.toArray()
    if (all.length >= MAX_FOLDERS) {
      throw new Error(
        plural(MAX_FOLDERS, {
          one: 'You can create up to {count} folder.',
          other: 'You can create up to {count} folders.',
        }),
      )
    }
    const folder = { id: uuid(), name: clean, position: Math.max(0, ...all.map(({ position }) => position)) + 1 }
    await db.folders.add(folder)
    return folder
  })
}

export async function renameFolder(id: string, name: string): Promise<void> {
  const clean = cleanName(name, MAX_FOLDER_CHARS)
  if (clean) await db.folders.update(id, { name: clean })
}

/** Removes a folder; its chats stay. @returns what puts it back with them. */
export function deleteFolder(id: string): Promise<() => Promise<void>> {
  return db.transaction('rw', db.folders, db.conversations, async () => {
    const folder = await db.folders.get(id)
    const inside = await db.conversations.filter(({ folderId }) => folderId === id).primaryKeys()
    await db.folders.delete(id)
    await updateChats(inside, { folderId: undefined })
    return async () => {
      if (!folder) return
      await db.transaction('rw', db.folders, db.conversations, async () => {
        await db.folders.put(folder)
        // Who was put elsewhere meanwhile stays there.
        await db.conversations
          .where('id')
          .anyOf(inside)
          .modify((chat) => {
            chat.folderId ??= id
          })
      })
    }
  })
}

/** Changes several chats at once. @returns what restores each. */
export function updateChats(ids: readonly string[], changes: Partial<ChatChanges>): Promise<() => Promise<void>> {
  const names = Object.keys(changes) as (keyof ChatChanges)[]
  return db.transaction('rw', db.conversations, async () => {
    const before = new Map<string, Partial<ChatChanges>>()
    await db.conversations
      .where('id')
      .anyOf([...ids])
      .modify((chat) => {
        before.set(chat.id, Object.fromEntries(names.map((name) => [name, chat[name]])))
        assign(chat, changes)
      })
    return async () => {
      await db.conversations
        .where('id')
        .anyOf([...before.keys()])
        .modify((chat) => assign(chat, before.get(chat.id) ?? {}))
    }
  })
}

export function cleanTags(tags: readonly string[]): string[] {
  const known = new Map<string, string>()
  for (const tag of tags) {
    const clean = cleanName(tag.replace(/^#+/, ''), MAX_TAG_CHARS)
    if (clean && !known.has(clean.toLowerCase())) known.set(clean.toLowerCase(), clean)
  }
  return [...known.values()].slice(0, MAX_TAGS)
}

export function tagsOf(chats: readonly Conversation[]): string[] {
  return [...new Set(chats.flatMap(({ tags }) => tags ?? []))].toSorted((a, b) => a.localeCompare(b))
}

function assign(chat: Conversation, changes: Partial<ChatChanges>): void {
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) {
      delete chat[name as keyof ChatChanges]
    } else Object.assign(chat, { [name]: value })
  }
}

const cleanName = (name: string, maxChars: number): string => name.replace(/\s+/g, ' ').trim().slice(0, maxChars).trim()

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
