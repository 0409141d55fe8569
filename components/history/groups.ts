import { periodOf } from '@/lib/browser/format/day'
import type { Conversation, Folder } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

export type Group = {
  key: string
  kind: 'pinned' | 'folder' | 'period' | 'archive'
  title: string
  chats: Conversation[]
  folder?: Folder
}

export type Shown = { isArchive?: boolean; tag?: string | undefined }

/**
 * Groups chats as the sidebar shows them: pinned, folders, then by the time of the last message. Each chat stands in
 * one place, latest first.
 */
export function groupChats(chats: readonly Conversation[], folders: readonly Folder[], now: number, shown: Shown = {}) {
  const visible = chats.filter(
    (chat) =>
      (chat.isArchived === true) === (shown.isArchive === true) &&
      (shown.tag === undefined || chat.tags?.includes(shown.tag)),
  )
  if (shown.isArchive) return visible.length > 0 ? [group('archive', 'archive', t('Archived'), visible)] : []
  const known = new Set(folders.map(({ id }) => id))
  const pinned = visible.filter(({ isPinned }) => isPinned)
  const others = visible.filter(({ isPinned }) => !isPinned)
  const inFolder = Map.groupBy(others, ({ folderId }) => (folderId && known.has(folderId) ? folderId : ''))
  const byPeriod = Map.groupBy(inFolder.get('') ?? [], ({ updatedAt }) => periodOf(updatedAt, now))
  return [
    ...(pinned.length > 0 ? [group('pinned', 'pinned', t('Pinned'), pinned)] : []),
    ...folders
      // While only one tag is looked at, empty folders say nothing.
      .filter(({ id }) => shown.tag === undefined || inFolder.has(id))
      .map((folder) => ({
        ...group(`folder ${folder.id}`, 'folder', folder.name, inFolder.get(folder.id) ?? []),
        folder,
      })),
    ...[...byPeriod].map(([period, among]) => group(`period ${period}`, 'period', period, among)),
  ]
}

function group(key: string, kind: Group['kind'], title: string, chats: Conversation[]): Group {
  return { key, kind, title, chats }
}
