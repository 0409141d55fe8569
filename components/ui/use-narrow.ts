import { useSyncExternalStore } from 'react'

/** Below the style sheet's `md`: no room for the sidebar beside the page. */
const NARROW = '(width < 56.25rem)'

export const isNarrow = (): boolean => matchMedia(NARROW).matches

export const useNarrow = (): boolean => useSyncExternalStore(subscribe, isNarrow, () => false)

function subscribe(listener: () => void): () => void {
  const query = matchMedia(NARROW)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}
