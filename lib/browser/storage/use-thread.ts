import { liveQuery } from 'dexie'
import { useCallback, useSyncExternalStore } from 'react'
import { loadThread, type StoredThread } from '@/lib/browser/storage/chats'
import { shownTurns, type Turn } from '@/lib/browser/storage/thread'

/** A chat as it is stored, and the turns of its shown branch. */
export type ThreadRead = { stored: StoredThread; turns: Turn[] }

/** `null`: there is no such chat. */
type Outcome = { read: ThreadRead | null } | { failure: unknown }
type Reading = { outcome?: Outcome; listeners: Set<() => void>; stop: () => void }

const NO_CHAT: Outcome = { read: null }

const readings = new Map<string, Reading>()

/**
 * A chat, and the chat again whenever it changes. Whoever shows something of the same chat shares one reading of it.
 *
 * @returns nothing while it is read for the first time; `null` where there is none.
 * @throws to the nearest error boundary what reading failed with.
 */
export function useThread(chatId: string | null): ThreadRead | null | undefined {
  const subscribe = useCallback(
    (listener: () => void) => (chatId === null ? () => undefined : join(chatId, listener)),
    [chatId],
  )
  const outcome = useSyncExternalStore(
    subscribe,
    () => (chatId === null ? NO_CHAT : readings.get(chatId)?.outcome),
    () => undefined,
  )
  if (outcome && 'failure' in outcome) throw outcome.failure
  return outcome?.read
}

/**
 * Begins to read a chat that is likely to be shown next.
 *
 * @returns what ends it, where nobody shows the chat by then.
 */
export const readAhead = (chatId: string): (() => void) => join(chatId, () => undefined)

function join(chatId: string, listener: () => void): () => void {
  const reading = readings.get(chatId) ?? begin(chatId)
  reading.listeners.add(listener)
  return () => {
    reading.listeners.delete(listener)
    // Who shows the same chat next may come with the same change of the page.
    setTimeout(() => {
      if (reading.listeners.size > 0 || readings.get(chatId) !== reading) return
      readings.delete(chatId)
      reading.stop()
    })
  }
}

function begin(chatId: string): Reading {
  const reading: Reading = { listeners: new Set(), stop: () => subscription.unsubscribe() }
  readings.set(chatId, reading)
  const tell = (outcome: Outcome) => {
    reading.outcome = outcome
    for (const listener of reading.listeners) listener()
  }
  const subscription = liveQuery(() => loadThread(chatId)).subscribe({
    next: (stored) => tell({ read: stored ? { stored, turns: shownTurns(stored) } : null }),
    error: (failure: unknown) => tell({ failure }),
  })
  return reading
}
