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

/** Chromium's event for a page that may be installed; other browsers have their own menu for it. */
type InstallOffer = Event & { prompt: () => Promise<{ outcome: 'accepted' | 'dismissed' }> }

const useOffer = create<{ offer?: InstallOffer | undefined }>(() => ({}))

export function catchInstallOffer(): () => void {
  const onOffer = (event: Event) => {
    event.preventDefault()
    useOffer.setState({ offer: event as InstallOffer })
  }
  const onInstalled = () => useOffer.setState({ offer: undefined })
  window.addEventListener('beforeinstallprompt', onOffer)
  window.addEventListener('appinstalled', onInstalled)
  return () => {
    window.removeEventListener('beforeinstallprompt', onOffer)
    window.removeEventListener('appinstalled', onInstalled)
  }
}

export const useCanInstall = (): boolean => useOffer(({ offer }) => offer !== undefined)

/** Must be called by a click. An offer can be taken once. */
export async function install(): Promise<void> {
  const { offer } = useOffer.getState()
  useOffer.setState({ offer: undefined })
  await offer?.prompt()
}
