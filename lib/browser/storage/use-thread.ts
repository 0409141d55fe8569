import { liveQuery } from 'dexie'
import { useEffect } from 'react'
import { create } from 'zustand'
import { loadThread, type StoredThread } from '@/lib/browser/storage/chats'
import { shownTurns, type Turn } from '@/lib/browser/storage/thread'

export type ThreadRead = { stored: StoredThread; turns: Turn[] }

type Outcome = { read: ThreadRead | null } | { failure: unknown }

const useOutcomes = create<Record<string, Outcome>>(() => ({}))

/**
 * Returns a chat, and again whenever it changes; components that show the same chat share one query.
 * @returns nothing while it is read for the first time; `null` where there is none.
 * @throws to the nearest error boundary what reading failed with.
 */
export function useThread(chatId: string | null): ThreadRead | null | undefined {
  useEffect(() => (chatId === null ? undefined : join(chatId)), [chatId])
  const outcome = useOutcomes((outcomes) => (chatId === null ? undefined : outcomes[chatId]))
  if (chatId === null) return null
  if (outcome && 'failure' in outcome) throw outcome.failure
  return outcome?.read
}

/**
 * Begins to read a chat that is likely to be shown next.
 * @returns what ends it, where nobody shows the chat by then.
 */
export const readAhead = (chatId: string): (() => void) => join(chatId)

type Watcher = { count: number; stop: () => void }

const watchers = new Map<string, Watcher>()

function join(chatId: string): () => void {
  const watcher = watchers.get(chatId) ?? begin(chatId)
  watcher.count += 1
  return () => {
    watcher.count -= 1
    // Who shows the same chat next may come with the same change of the page.
    setTimeout(() => {
      if (watcher.count > 0 || watchers.get(chatId) !== watcher) return
      watchers.delete(chatId)
      watcher.stop()
      const { [chatId]: _, ...others } = useOutcomes.getState()
      useOutcomes.setState(others, true)
    })
  }
}

function begin(chatId: string): Watcher {
  const tell = (outcome: Outcome) => useOutcomes.setState({ [chatId]: outcome })
  const subscription = liveQuery(() => loadThread(chatId)).subscribe({
    next: (stored) => tell({ read: stored ? { stored, turns: shownTurns(stored) } : null }),
    error: (failure: unknown) => tell({ failure }),
  })
  const watcher = { count: 0, stop: () => subscription.unsubscribe() }
  watchers.set(chatId, watcher)
  return watcher
}
