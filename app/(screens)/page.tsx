import { Chat } from '@/components/chat/chat'

/** A new chat. */
export default function NewChatPage() {
  return <Chat />
}
