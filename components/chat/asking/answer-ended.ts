import { chatHref } from '@/lib/browser/navigation'
import { isTemporary } from '@/lib/browser/storage/temporary-id'
import { setUnread } from '@/lib/browser/storage/unread'

/** Marks a chat whose answer ended while nobody looked at it. */
export async function answerEnded(conversationId: string): Promise<void> {
  const isSeen = document.visibilityState === 'visible' && window.location.pathname === chatHref(conversationId)
  if (!isSeen && !isTemporary(conversationId)) await setUnread(conversationId, true)
}
