import { areFilesLoaded, changeDraftFiles, type DraftFile } from '@/lib/browser/files/draft-file-state'
import { type Attachment, isTemporary } from '@/lib/browser/storage/records'

export async function openDraftFiles(chatId: string): Promise<void> {
  if (areFilesLoaded(chatId)) return
  const stored = await loadDraftFiles(chatId).catch(() => [])
  if (areFilesLoaded(chatId)) return
  changeDraftFiles(chatId, () => stored.map(readyFile))
}

export const readyFile = (attachment: Attachment): DraftFile => ({
  id: attachment.id,
  name: attachment.name,
  size: attachment.size,
  state: 'ready',
  attachment,
})

export async function loadDraftFiles(chatId: string): Promise<Attachment[]> {
  await openTemporary(chatId)
  const { databaseOf } = await database()
  return (await databaseOf(chatId).draftFiles.get(chatId))?.attachments ?? []
}

export async function saveDraftFiles(chatId: string, attachments: Attachment[]): Promise<void> {
  await openTemporary(chatId)
  const { draftFiles } = (await database()).databaseOf(chatId)
  if (attachments.length === 0) await draftFiles.delete(chatId)
  else await draftFiles.put({ chatId, attachments })
}

/** Makes room in memory for a temporary chat before anything of it is stored. */
export async function openTemporary(chatId: string): Promise<void> {
  if (isTemporary(chatId)) await (await database()).newTemporaryId(chatId)
}

// Fetched as whoever else opens it does: imported here, it would be loaded twice with a chat.
const database = () => import('@/lib/browser/storage/database')
