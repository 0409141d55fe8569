import { announce } from '@/components/ui/announcer'
import { showToast } from '@/components/ui/toast'
import { chatHref, openChat } from '@/lib/browser/navigation'
import { stopAnswers } from '@/lib/browser/running-answers'
import { tidy } from '@/lib/browser/storage/blobs'
import { deleteFolder, makeFolder, updateChats } from '@/lib/browser/storage/folders-and-tags'
import { type Folder, UNDO_MS } from '@/lib/browser/storage/records'
import { plural, t } from '@/lib/i18n/t'

export async function removeChats(ids: readonly string[]): Promise<void> {
  for (const id of ids) stopAnswers(id)
  const undo = await updateChats(ids, { deletedAt: Date.now() })
  const open = leaveIfOpen(ids)
  setTimeout(() => void tidy(), UNDO_MS + 500)
  offerUndo(plural(ids.length, { one: 'Chat deleted', other: '{count} chats deleted' }), undo, open)
}

export async function archiveChats(ids: readonly string[]): Promise<void> {
  const undo = await updateChats(ids, { isArchived: true })
  offerUndo(plural(ids.length, { one: 'Chat archived', other: '{count} chats archived' }), undo, leaveIfOpen(ids))
}

export async function unarchiveChats(ids: readonly string[]): Promise<void> {
  const undo = await updateChats(ids, { isArchived: undefined })
  offerUndo(plural(ids.length, { one: 'Chat unarchived', other: '{count} chats unarchived' }), undo)
}

export async function moveChats(ids: readonly string[], folder: Folder | undefined): Promise<void> {
  const undo = await updateChats(ids, { folderId: folder?.id })
  const text = folder
    ? plural(
        ids.length,
        { one: 'Chat moved to “{folder}”', other: '{count} chats moved to “{folder}”' },
        { folder: folder.name },
      )
    : plural(ids.length, { one: 'Chat removed from folder', other: '{count} chats removed from folder' })
  offerUndo(text, undo)
}

/** Makes a folder with a name to be changed, and moves chats into it. Nothing where there are too many. */
export async function newFolder(ids: readonly string[]): Promise<Folder | undefined> {
  try {
    const folder = await makeFolder(t('New folder'))
    if (ids.length > 0) await moveChats(ids, folder)
    return folder
  } catch (error) {
    showToast({ text: error instanceof Error ? error.message : t('The folder couldn’t be created. Try again.') })
    return undefined
  }
}

export async function pinChats(ids: readonly string[], isPinned: boolean): Promise<void> {
  await updateChats(ids, { isPinned })
  announce(isPinned ? t('Pinned') : t('Unpinned'))
}

export async function removeFolder(folder: Folder): Promise<void> {
  const undo = await deleteFolder(folder.id)
  offerUndo(t('Folder “{folder}” deleted. Its chats were kept.', { folder: folder.name }), undo)
}

function leaveIfOpen(ids: readonly string[]): string | undefined {
  const open = ids.find((id) => window.location.pathname === chatHref(id))
  if (open !== undefined) openChat(null)
  return open
}

function offerUndo(text: string, undo: () => Promise<void>, open?: string): void {
  const run = () => {
    void undo()
    if (open !== undefined) openChat(open)
  }
  showToast({ text, lastsMs: UNDO_MS, action: { label: t('Undo'), run } })
}
