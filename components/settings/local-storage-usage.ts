import { db } from '@/lib/browser/storage/database'

/** What this browser keeps. `bytes` is of the files that questions brought along. */
export type KeptHere = { chats: number; messages: number; characters: number; files: number; bytes: number }

/** Counts it. Of the files only the sizes are read, not the bytes. */
export async function keptHere(): Promise<KeptHere> {
  const [chats, messages, characters] = await Promise.all([
    db.conversations.filter(({ deletedAt }) => deletedAt === undefined).count(),
    db.messages.count(),
    db.characters.count(),
  ])
  let files = 0
  let bytes = 0
  await db.blobs.each(({ size }) => {
    files += 1
    bytes += size
  })
  return { chats, messages, characters, files, bytes }
}
