/**
 * What a chat needs once something is asked in it. It is one file to fetch: as several, each would bring along its own
 * copy of what they share.
 */
export { edit, regenerate, replay, resume, send, sendWaiting } from '@/components/chat/asking/send'
export { EstimateLine } from '@/components/chat/composer/estimate-line'
export { KeptFocus, QueueChips } from '@/components/chat/composer/queue-chips'
export { ChatTitle, ContextGauge } from '@/components/chat/context-gauge'
export { loadLongThread } from '@/components/chat/turns/message-list'
export { Thread } from '@/components/chat/turns/thread'
export { changeConversation, loadConversation } from '@/lib/browser/storage/chats'
