import { createPart } from '@/components/ui/part'
import { provideStoredChats } from '@/lib/browser/chat-setup'

/** What answers and shows answers: no part of what a new chat begins with. */
export const answeringPart = createPart(() => import('@/components/chat/chat-runtime.lazy'))

provideStoredChats(answeringPart.load)
