/** What this browser has for its pages' data. Sizes are bytes. */
export type StorageState = { used?: number; most?: number; isPersistent?: boolean }

export async function storageState(): Promise<StorageState> {
  const { storage } = navigator
  const [estimate, isPersistent] = await Promise.all([
    storage?.estimate?.().catch(() => undefined),
    storage?.persisted?.().catch(() => undefined),
  ])
  return {
    ...(estimate?.usage !== undefined && { used: estimate.usage }),
    ...(estimate?.quota !== undefined && { most: estimate.quota }),
    ...(isPersistent !== undefined && { isPersistent }),
  }
}

/** Asks the browser never to clear what is kept here by itself. Some ask the person; so only by a click. */
export async function keepStorage(): Promise<boolean> {
  return (await navigator.storage?.persist?.().catch(() => false)) ?? false
}

/** Asks where no one is asked: in browsers that decide without a word. Firefox shows a prompt: there it waits for the click. */
export async function keepQuietly(): Promise<void> {
  const isPrompting = 'mozInnerScreenX' in window
  if (!isPrompting && !(await navigator.storage?.persisted?.())) await keepStorage()
}
