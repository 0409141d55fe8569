import { Chat } from '@/components/chat/chat'

/** One conversation; its words are in the browser, so the page is the same for everyone. */
export default function ConversationPage() {
  return <Chat />
}
