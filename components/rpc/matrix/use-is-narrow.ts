import { useSyncExternalStore } from 'react'

/** As the style sheet's `md`. */
const NARROW = '(width < 56.25rem)'

/** Whether the window is too narrow for a table. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(NARROW).matches,
    () => false,
  )
}

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(NARROW)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}
