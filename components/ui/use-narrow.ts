import { useSyncExternalStore } from 'react'

/** Where the sidebar has no room beside the page: phones, and narrow windows. The style sheet's `md` begins above. */
const NARROW = '(width < 56.25rem)'

/** Whether the window is that narrow. */
export const isNarrow = (): boolean => matchMedia(NARROW).matches

/** The same, told anew when it changes. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, isNarrow, () => false)

function subscribe(listener: () => void): () => void {
  const query = matchMedia(NARROW)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}
