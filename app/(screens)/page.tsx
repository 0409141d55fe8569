import { Chat } from '@/components/chat/chat'

export default function NewChatPage() {
  return <Chat />
}
