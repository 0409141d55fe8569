import { Chat } from '@/components/chat/chat'

export default function ConversationPage() {
  return <Chat />
}
