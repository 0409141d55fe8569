import { useSyncExternalStore } from 'react'

/** The sheets of the history; one is open at a time. */
export type HistorySheet =
  | { kind: 'archive' }
  | { kind: 'shares' }
  | { kind: 'tags'; chatId: string }
  | { kind: 'share'; chatId: string; leafId?: string }

let shown: HistorySheet | undefined
const listeners = new Set<() => void>()

/** Opens a sheet over the page: import and export, shared links, the tags of a chat, a link to it. */
export function openSheet(sheet: HistorySheet | undefined): void {
  shown = sheet
  for (const listener of listeners) listener()
}

export function useOpenSheet(): HistorySheet | undefined {
  return useSyncExternalStore(
    subscribe,
    () => shown,
    () => undefined,
  )
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
