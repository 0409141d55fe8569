import { areFilesLoaded, changeDraftFiles, type DraftFile } from '@/lib/browser/files/draft-store'
import { loadDraftFiles } from '@/lib/browser/files/kept-files'
import type { Attachment } from '@/lib/browser/storage/records'

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
