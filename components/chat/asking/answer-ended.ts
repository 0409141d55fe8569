import { chatHref } from '@/components/shell/navigation'
import { setUnread } from '@/lib/client/history/unread'
import { isTemporary } from '@/lib/client/temporary-id'

/** Marks a chat whose answer ended while nobody looked at it. */
export async function answerEnded(conversationId: string): Promise<void> {
  const isSeen = document.visibilityState === 'visible' && window.location.pathname === chatHref(conversationId)
  if (!isSeen && !isTemporary(conversationId)) await setUnread(conversationId, true)
}
