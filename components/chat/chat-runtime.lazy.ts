/** What a chat needs once a message is sent. One file: as several, each would bring a copy of what they share. */

export { regenerate, replay, resume } from '@/components/chat/asking/regenerate'
export { edit, send, sendWaiting } from '@/components/chat/asking/send'
export { EstimateLine } from '@/components/chat/composer/estimate-line'
export { QueueChips, QueueFocus } from '@/components/chat/composer/queue-chips'
export { ChatTitle, ContextGauge } from '@/components/chat/context-gauge'
export { loadLongThread } from '@/components/chat/turns/message-list'
export { GoneChat, Thread } from '@/components/chat/turns/thread'
export { changeConversation, loadConversation } from '@/lib/browser/storage/chats'
