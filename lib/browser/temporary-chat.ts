import { create } from 'zustand'
import { isTemporary } from '@/lib/browser/storage/records'

/** The draft of a temporary chat that has no id yet. */
export const NEW_TEMPORARY = 'temporary-new'

const useNextTemporary = create(() => false)
/** The temporary chats of this page: those of another one are gone. */
const made = new Set<string>()

/** Whether the next new chat is one that is never stored, and its setter. */
export const useTemporary = (): [isTemporary: boolean, set: (on: boolean) => void] => [
  useNextTemporary(),
  setNextTemporary,
]

export const isNextTemporary = (): boolean => useNextTemporary.getState()

/** The memory for such chats is made first: what is drafted for one has its place there. */
export async function setNextTemporary(on: boolean): Promise<void> {
  if (on) await (await import('@/lib/browser/storage/database')).newTemporaryId('new')
  useNextTemporary.setState(on)
}

/** Remembers that a temporary chat began on this page. The next new chat is a kept one again. */
export function noteTemporary(conversationId: string): void {
  made.add(conversationId)
  void setNextTemporary(false)
}

/** Whether an address names a temporary chat that ended with its page. */
export const isGone = (conversationId: string): boolean => isTemporary(conversationId) && !made.has(conversationId)
