import { databaseOf, type HistoryDatabase, openDatabases } from '@/lib/browser/storage/database'

/** Keeps bytes under their hash, once, where that chat is, and says what they are called. */
export const keepBlob = (conversationId: string, data: Blob): Promise<string> =>
  keepBlobIn(databaseOf(conversationId), data)

/** The same in a database that was opened elsewhere. */
export async function keepBlobIn({ blobs }: HistoryDatabase, data: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await data.arrayBuffer())
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
  await blobs.put({ hash, size: data.size, data })
  return hash
}

/** The bytes of that name, wherever they are kept; `undefined` when they are gone. */
export async function loadBlob(hash: string): Promise<Blob | undefined> {
  for (const database of openDatabases()) {
    const kept = await database.blobs.get(hash)
    if (kept) return kept.data
  }
  return undefined
}

/**
 * Bytes are kept a moment before something points at them, and go from a draft to a question by way of nothing at all: they
 * are removed when nothing has pointed at them for this long.
 */
export const BLOB_GRACE_MS = 3_600_000

/**
 * Removes the bytes that no message, draft, character or creation has pointed at for a while.
 *
 * @returns whether there are some whose time is not over yet.
 */
export async function dropUnusedBlobs(now = Date.now()): Promise<boolean> {
  let isSomeLeft = false
  for (const database of openDatabases()) {
    const { blobs, messages, draftFiles, characters, creations } = database
    if ((await blobs.count()) === 0) continue
    await database.transaction('rw', blobs, messages, draftFiles, characters, creations, async () => {
      const used = new Set<string>()
      await messages.each(({ attachments = [] }) => {
        for (const { hash } of attachments) used.add(hash)
      })
      await draftFiles.each(({ attachments }) => {
        for (const { hash } of attachments) used.add(hash)
      })
      await characters.each(({ portrait }) => {
        if (portrait) used.add(portrait)
      })
      await creations.each(({ inputs, results }) => {
        for (const { hash } of [...inputs, ...results]) used.add(hash)
      })
      for (const { hash, unusedSince } of await blobs.toArray()) {
        if (used.has(hash)) {
          if (unusedSince !== undefined) await blobs.update(hash, { unusedSince: undefined })
        } else if (unusedSince === undefined || unusedSince > now) {
          await blobs.update(hash, { unusedSince: now })
          isSomeLeft = true
        } else if (now - unusedSince >= BLOB_GRACE_MS) await blobs.delete(hash)
        else isSomeLeft = true
      }
    })
  }
  return isSomeLeft
}
