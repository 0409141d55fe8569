import { useSyncExternalStore } from 'react'
import { create } from 'zustand'

/** A worker of another build that waits for the pages of this one to end. */
const useWaiting = create<{ worker?: ServiceWorker }>(() => ({}))

export const useIsOnline = (): boolean =>
  useSyncExternalStore(
    subscribeOnline,
    () => navigator.onLine,
    () => true,
  )

export const useIsUpdateReady = (): boolean => useWaiting(({ worker }) => worker !== undefined)

export const noteWaiting = (worker: ServiceWorker): void => useWaiting.setState({ worker })

export const takeOver = (): void => useWaiting.getState().worker?.postMessage({ type: 'take-over' })

function subscribeOnline(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}
