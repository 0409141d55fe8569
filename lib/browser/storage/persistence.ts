export type StorageState = { used?: number; quota?: number; isPersistent?: boolean }

export async function storageState(): Promise<StorageState> {
  const { storage } = navigator
  const [estimate, isPersistent] = await Promise.all([
    storage?.estimate?.().catch(() => undefined),
    storage?.persisted?.().catch(() => undefined),
  ])
  return {
    ...(estimate?.usage !== undefined && { used: estimate.usage }),
    ...(estimate?.quota !== undefined && { quota: estimate.quota }),
    ...(isPersistent !== undefined && { isPersistent }),
  }
}

export async function keepStorage(): Promise<boolean> {
  return (await navigator.storage?.persist?.().catch(() => false)) ?? false
}

/**
 * Asks for persistence only in browsers that decide without a prompt; Firefox shows one, so there it waits for a click.
 */
export async function keepQuietly(): Promise<void> {
  const isPrompting = 'mozInnerScreenX' in window
  if (!isPrompting && !(await navigator.storage?.persisted?.())) await keepStorage()
}
