'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { useEffect } from 'react'
import { db } from '@/lib/client/history'
import { SERVICE_NAME } from '@/lib/core/service-name'

/** The title of the open chat, in the bar and in the browser's tab. On a phone the bar has no room for it. */
export function ChatTitle({ chatId }: { chatId: string }) {
  const title = useLiveQuery(async () => (await db.conversations.get(chatId))?.title, [chatId])
  useEffect(() => {
    if (!title) return
    const before = document.title
    document.title = `${title} · ${SERVICE_NAME}`
    return () => {
      document.title = before
    }
  }, [title])
  return (
    <h1 className="sr-only text-14 font-medium md:not-sr-only md:me-1 md:max-w-[50%] md:border-e md:border-line">
      <span className="block truncate px-2 md:pe-3">{title ?? 'Chat'}</span>
    </h1>
  )
}
