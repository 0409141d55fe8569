'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { ArchiveSheet } from '@/components/history/archive/archive-sheet'
import { ShareSheet, SharesSheet } from '@/components/history/share-sheet'
import { Button } from '@/components/ui/button'
import { Sheet } from '@/components/ui/modal'
import { type HistorySheet, openHistorySheet } from '@/lib/browser/dialogs'
import { listConversations, loadConversation } from '@/lib/browser/storage/chats'
import { cleanTags, MAX_TAG_CHARS, MAX_TAGS, tagsOf, updateChats } from '@/lib/browser/storage/folders-and-tags'
import { plural, t } from '@/lib/i18n/t'

export function HistorySheets({ sheet }: { sheet: HistorySheet }) {
  const close = () => openHistorySheet(undefined)
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

type TagsSheetProps = { chatId: string; onClose: () => void }

function TagsSheet({ chatId, onClose }: TagsSheetProps) {
  const chat = useLiveQuery(() => loadConversation(chatId), [chatId])
  const known = useLiveQuery(async () => tagsOf(await listConversations())) ?? []
  const [typed, setTyped] = useState('')
  const tags = chat?.tags ?? []
  const add = (event: FormEvent) => {
    event.preventDefault()
    void updateChats([chatId], { tags: cleanTags([...tags, ...typed.split(',')]) })
    setTyped('')
  }
  const others = known.filter((tag) => !tags.includes(tag))
  const isFull = tags.length >= MAX_TAGS
  return (
    <Sheet isOpen onClose={onClose} title={t('Tags')}>
      <p className="pt-1 text-14 text-ink-2">
        {t('Tags for “{title}”, stored only on this device.', { title: chat?.title ?? '' })}
      </p>
      <ul className="flex flex-wrap gap-1.5 pt-4">
        {tags.map((tag) => (
          <li key={tag} className="inline-flex items-center rounded-chip border border-line ps-3 text-13">
            {tag}
            <button
              type="button"
              aria-label={t('Remove tag {tag}', { tag })}
              onClick={() => void updateChats([chatId], { tags: tags.filter((other) => other !== tag) })}
              className="inline-flex size-8 items-center justify-center rounded-chip text-ink-3 hover:text-ink pointer-coarse:size-11"
            >
              <X aria-hidden="true" className="size-3.5" strokeWidth={1.5} />
            </button>
          </li>
        ))}
      </ul>
      {tags.length === 0 && <p className="text-13 text-ink-3">{t('No tags yet.')}</p>}
      <form onSubmit={add} className="flex gap-2 pt-4">
        <input
          aria-label={t('New tag')}
          dir="auto"
          list="known-tags"
          value={typed}
          maxLength={MAX_TAG_CHARS}
          disabled={isFull}
          placeholder={t('New tag')}
          onChange={(event) => setTyped(event.target.value)}
          className="min-h-9 min-w-0 flex-1 rounded-control border border-control bg-surface px-2.5 text-14 pointer-coarse:min-h-11 pointer-coarse:text-16"
        />
        <datalist id="known-tags">
          {others.map((tag) => (
            <option key={tag} value={tag} />
          ))}
        </datalist>
        <Button type="submit" disabled={!typed.trim() || isFull}>
          {t('Add')}
        </Button>
      </form>
      {isFull && (
        <p className="pt-2 text-13 text-ink-3">
          {plural(MAX_TAGS, {
            one: 'A chat can have up to {count} tag.',
            other: 'A chat can have up to {count} tags.',
          })}
        </p>
      )}
    </Sheet>
  )
}
