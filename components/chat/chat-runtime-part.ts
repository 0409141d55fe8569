import { createPart } from '@/components/ui/part'
import { provideStoredChats } from '@/lib/browser/chat-setup'

export const answeringPart = createPart(() => import('@/components/chat/chat-runtime.lazy'))

provideStoredChats(answeringPart.load)
