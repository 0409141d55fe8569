'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { useEffect } from 'react'
import { loadConversation } from '@/lib/browser/storage/chats'
import { isTemporary } from '@/lib/browser/storage/temporary-id'
import { SERVICE_NAME } from '@/lib/contract/service-name'
import { t } from '@/lib/i18n/t'

/** The title of the open chat, in the bar and in the browser's tab. On a phone the bar has no room for it. */
export function ChatTitle({ chatId }: { chatId: string }) {
  const title = useLiveQuery(async () => (await loadConversation(chatId))?.title, [chatId])
  useEffect(() => {
    // A browser writes the titles of its tabs into its history, where nothing of a temporary chat may be.
    if (!title || isTemporary(chatId)) return
    const before = document.title
    document.title = `${title} · ${SERVICE_NAME}`
    return () => {
      document.title = before
    }
  }, [title, chatId])
  return (
    <h1 className="sr-only text-14 font-medium md:not-sr-only md:me-1 md:max-w-[50%] md:border-e md:border-line">
      <span dir="auto" className="block truncate px-2 md:pe-3">
        {title ?? t('Chat')}
      </span>
    </h1>
  )
}
