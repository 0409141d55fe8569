import { areFilesLoaded, changeDraftFiles, type DraftFile } from '@/lib/browser/files/draft-store'
import { databaseOf, newTemporaryId } from '@/lib/browser/storage/database'
import { type Attachment, isTemporary } from '@/lib/browser/storage/records'

/** Brings the files of a draft back that were kept before this page was loaded. What reads new ones is not needed for it. */
export async function openDraftFiles(chatId: string): Promise<void> {
  if (areFilesLoaded(chatId)) return
  const kept = await loadDraftFiles(chatId).catch(() => [])
  if (areFilesLoaded(chatId)) return
  changeDraftFiles(chatId, () => kept.map(readyFile))
}

export const readyFile = (attachment: Attachment): DraftFile => ({
  id: attachment.id,
  name: attachment.name,
  size: attachment.size,
  state: 'ready',
  attachment,
})

/** The files of a draft, as they were kept. */
export async function loadDraftFiles(chatId: string): Promise<Attachment[]> {
  await openTemporary(chatId)
  return (await databaseOf(chatId).draftFiles.get(chatId))?.attachments ?? []
}

/** Keeps the files of a draft; none takes it away. Their bytes are in `blobs`. */
export async function saveDraftFiles(chatId: string, attachments: Attachment[]): Promise<void> {
  await openTemporary(chatId)
  const { draftFiles } = databaseOf(chatId)
  if (attachments.length === 0) await draftFiles.delete(chatId)
  else await draftFiles.put({ chatId, attachments })
}

/** Sees to it that what belongs to a temporary chat has a place in memory, before anything of it is kept. */
export async function openTemporary(chatId: string): Promise<void> {
  if (isTemporary(chatId)) await newTemporaryId(chatId)
}
