import { create } from 'zustand'
import { isTemporary } from '@/lib/browser/storage/records'

export const NEW_TEMPORARY = 'temporary-new'

const useNextTemporary = create(() => false)
const made = new Set<string>()

export const useTemporary = (): [isTemporary: boolean, set: (on: boolean) => void] => [
  useNextTemporary(),
  setNextTemporary,
]

export const isNextTemporary = (): boolean => useNextTemporary.getState()

/** The database in memory is made first: a temporary chat's draft files go there. */
export async function setNextTemporary(on: boolean): Promise<void> {
  if (on) await (await import('@/lib/browser/storage/database')).newTemporaryId('new')
  useNextTemporary.setState(on)
}

export function noteTemporary(conversationId: string): void {
  made.add(conversationId)
  void setNextTemporary(false)
}

export const isGone = (conversationId: string): boolean => isTemporary(conversationId) && !made.has(conversationId)
