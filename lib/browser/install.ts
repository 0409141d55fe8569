import { useSyncExternalStore } from 'react'

/** What Chromium gives a page that may be installed; other browsers have their own menu for it. */
type InstallOffer = Event & { prompt: () => Promise<{ outcome: 'accepted' | 'dismissed' }> }

let offer: InstallOffer | undefined
const listeners = new Set<() => void>()

/** Keeps the browser's offer for the settings, where a person may take it, instead of a bar that comes by itself. */
export function catchInstallOffer(): () => void {
  const onOffer = (event: Event) => {
    event.preventDefault()
    set(event as InstallOffer)
  }
  const onInstalled = () => set(undefined)
  window.addEventListener('beforeinstallprompt', onOffer)
  window.addEventListener('appinstalled', onInstalled)
  return () => {
    window.removeEventListener('beforeinstallprompt', onOffer)
    window.removeEventListener('appinstalled', onInstalled)
  }
}

/** Whether the browser would install the app now. */
export const useCanInstall = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => offer !== undefined,
    () => false,
  )

/** To be called by a click. An offer can be taken once. */
export async function install(): Promise<void> {
  const taken = offer
  set(undefined)
  await taken?.prompt()
}

function set(next: InstallOffer | undefined): void {
  offer = next
  for (const listener of listeners) listener()
}
