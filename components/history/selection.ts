import { useSyncExternalStore } from 'react'
import { rangeBetween } from '@/components/history/groups'

/** The chats that are chosen to be changed together; `undefined` while nobody chooses. */
type Selection = { ids: ReadonlySet<string>; last?: string | undefined }

let current: Selection | undefined
const listeners = new Set<() => void>()

export function useSelection(): Selection | undefined {
  return useSyncExternalStore(
    subscribe,
    () => current,
    () => undefined,
  )
}

/** Begins to choose, with some chosen already. */
export function startSelecting(ids: readonly string[] = []): void {
  change({ ids: new Set(ids), last: ids.at(-1) })
}

export function stopSelecting(): void {
  change(undefined)
}

/** Chooses a chat, or not any more. */
export function toggleChosen(id: string): void {
  const ids = new Set(current?.ids)
  if (!ids.delete(id)) ids.add(id)
  change({ ids, last: id })
}

/** Chooses all from the last one on, in the order that they are shown in. */
export function chooseUpTo(id: string, shown: readonly string[], openId: string | null): void {
  const from = current?.last ?? openId ?? undefined
  change({ ids: new Set([...(current?.ids ?? []), ...rangeBetween(shown, from, id)]), last: id })
}

export function choose(ids: readonly string[]): void {
  change({ ids: new Set(ids), last: current?.last })
}

function change(next: Selection | undefined): void {
  current = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
