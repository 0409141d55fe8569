'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { useEffect } from 'react'
import { ChatRow } from '@/components/shell/chat-row'
import { useChatId } from '@/components/shell/navigation'
import { periodOf } from '@/components/shell/period'
import { type Conversation, listConversations, purgeDeleted } from '@/lib/client/history'
import { UNDO_MS } from '@/lib/client/undo'

/** The chats of this device, by the time of their last message. */
export function ChatList({ onDone }: { onDone?: () => void }) {
  const conversations = useLiveQuery(listConversations)
  const chatId = useChatId()
  useEffect(() => {
    // What was deleted in a tab that then closed is removed here.
    void purgeDeleted(Date.now() - UNDO_MS)
  }, [])
  if (!conversations) return null
  if (conversations.length === 0) {
    return <p className="px-2 pt-6 text-14 text-ink-3">Chats you start appear here, and stay on this device.</p>
  }
  const groups = Map.groupBy(conversations, (conversation) => periodOf(conversation.updatedAt, Date.now()))
  return [...groups].map(([period, chats]) => (
    <section key={period} aria-label={period} className="pt-4">
      <h2 className="px-2 pb-1 text-12 font-medium text-ink-3">{period}</h2>
      <ul>
        {chats.map((chat: Conversation) => (
          <ChatRow key={chat.id} chat={chat} isOpen={chat.id === chatId} {...(onDone && { onDone })} />
        ))}
      </ul>
    </section>
  ))
}
