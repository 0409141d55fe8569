import { createPart } from '@/components/ui/part'

/** What answers and shows answers: no part of what a new chat begins with. */
export const answeringPart = createPart(() => import('@/components/chat/chat-runtime.lazy'))
