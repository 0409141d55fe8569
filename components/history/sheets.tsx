'use client'

import { ArchiveSheet } from '@/components/history/archive/archive-sheet'
import { ShareSheet } from '@/components/history/share-sheet'
import { SharesSheet } from '@/components/history/shares-sheet'
import { TagsSheet } from '@/components/history/tags-sheet'
import { type HistorySheet, openSheet } from '@/lib/browser/history-sheet'

/** The sheet that was asked for. Fetched with the first of them. */
export function HistorySheets({ sheet }: { sheet: HistorySheet }) {
  const close = () => openSheet(undefined)
  switch (sheet.kind) {
    case 'archive':
      return <ArchiveSheet onClose={close} />
    case 'shares':
      return <SharesSheet onClose={close} />
    case 'tags':
      return <TagsSheet chatId={sheet.chatId} onClose={close} />
    case 'share':
      return <ShareSheet conversationId={sheet.chatId} leafId={sheet.leafId} onClose={close} />
  }
}
