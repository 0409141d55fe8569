/**
 * What a chat needs once something is asked in it. It is one file to fetch: as several, each would bring along its own
 * copy of what they share.
 */
export { regenerate, replay, resume } from '@/components/chat/asking/again'
export { edit, send, sendWaiting } from '@/components/chat/asking/send'
export { ChatTitle } from '@/components/chat/chat-title'
export { EstimateLine } from '@/components/chat/composer/estimate-line'
export { KeptFocus } from '@/components/chat/composer/kept-focus'
export { QueueChips } from '@/components/chat/composer/queue-chips'
export { ContextGauge } from '@/components/chat/context-gauge'
export { loadLongThread } from '@/components/chat/turns/message-list'
export { Thread } from '@/components/chat/turns/thread'
export { changeConversation, loadConversation } from '@/lib/browser/storage/chats'
