'use client'

import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'

/** A strip on top while the device has no connection. */
export function OfflineStrip() {
  const isOnline = useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  )
  return (
    <div role="status">
      {!isOnline && (
        <p className="flex items-center justify-center gap-2 border-b border-line bg-sunken px-4 py-1.5 text-13 text-ink-2">
          <WifiOff aria-hidden="true" className="size-4" strokeWidth={1.5} />
          Offline. Your chats can be read; questions wait until you are back.
        </p>
      )}
    </div>
  )
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}
