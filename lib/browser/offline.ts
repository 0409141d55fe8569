import { useSyncExternalStore } from 'react'

/** A worker of another build that waits for the pages of this one to end. */
let waiting: ServiceWorker | undefined
const listeners = new Set<() => void>()

/** Whether the device has a connection, as far as it knows. */
export const useIsOnline = (): boolean =>
  useSyncExternalStore(
    subscribeOnline,
    () => navigator.onLine,
    () => true,
  )

/** Whether another build of the app is ready to take over. */
export const useIsUpdateReady = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => waiting !== undefined,
    () => false,
  )

export function noteWaiting(worker: ServiceWorker): void {
  waiting = worker
  for (const listener of listeners) listener()
}

/** Lets the other build take over; the page reloads when it has. */
export function takeOver(): void {
  waiting?.postMessage({ type: 'take-over' })
}

function subscribeOnline(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}
