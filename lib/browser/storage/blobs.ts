import { purgeDeleted } from '@/lib/browser/storage/chats'
import { databaseOf, type HistoryDatabase, openDatabases } from '@/lib/browser/storage/database'
import { UNDO_MS } from '@/lib/browser/storage/records'

export const keepBlob = (conversationId: string, data: Blob): Promise<string> =>
  keepBlobIn(databaseOf(conversationId), data)

export async function keepBlobIn({ blobs }: HistoryDatabase, data: Blob): Promise<string> {
  const hash = await hashOf(data)
  await blobs.put({ hash, size: data.size, data })
  return hash
}

/** Returns the SHA-256 of bytes in hex. */
export async function hashOf(data: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await data.arrayBuffer())
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export async function loadBlob(hash: string): Promise<Blob | undefined> {
  for (const database of openDatabases()) {
    const stored = await database.blobs.get(hash)
    if (stored) return stored.data
  }
  return undefined
}

/**
 * Bytes are stored a moment before something points at them, and move from a draft to a message through a moment with
 * no reference: they are removed after this long without one.
 */
export const BLOB_GRACE_MS = 3_600_000

/** Removes bytes without a reference whose grace is over. @returns whether some are still within it. */
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

const FILES_AFTER_MS = 15_000

let timer: ReturnType<typeof setTimeout> | undefined

export async function tidy(): Promise<void> {
  await purgeDeleted(Date.now() - UNDO_MS)
  tidyFiles(FILES_AFTER_MS)
}

function tidyFiles(afterMs: number): void {
  if (timer !== undefined) return
  timer = setTimeout(() => {
    timer = undefined
    dropUnusedBlobs().then(
      (isSomeLeft) => isSomeLeft && tidyFiles(BLOB_GRACE_MS),
      () => undefined,
    )
  }, afterMs)
}
