import { useSyncExternalStore } from 'react'

/** An answer that is to be read aloud. */
export type Wanted = { turnId: string; text: string }

let wanted: Wanted | undefined
const listeners = new Set<() => void>()

/** Has an answer read aloud, in place of the one before; nothing ends it. */
export function wantReading(next: Wanted | undefined): void {
  wanted = next
  for (const listener of listeners) listener()
}

export const useWantedReading = (): Wanted | undefined =>
  useSyncExternalStore(
    subscribe,
    () => wanted,
    () => undefined,
  )

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
