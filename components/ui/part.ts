import { useEffect, useSyncExternalStore } from 'react'

/** A module that is fetched when it is first needed. */
export type Part<T> = {
  /** Fetches it, once. */
  load: () => Promise<T>
  /**
   * The module once it is there; in the first render, if it was fetched before.
   *
   * @param isWanted fetches it.
   * @throws to the nearest error boundary when it cannot be fetched.
   */
  use: (isWanted: boolean) => T | undefined
}

/**
 * For a part that somebody waits for. `dynamic()` suspends also where the module is there already, and React shows what
 * was suspended up to 300 ms late.
 */
export function createPart<T>(fetchModule: () => Promise<T>): Part<T> {
  let loaded: T | undefined
  let loading: Promise<T> | undefined
  let failure: unknown
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  const load = () => {
    loading ??= fetchModule().then(
      (module) => {
        loaded = module
        tell()
        return module
      },
      (error: unknown) => {
        loading = undefined
        failure = error
        tell()
        // Whoever waited has heard it by then; who comes later tries again.
        setTimeout(() => {
          failure = undefined
        })
        throw error
      },
    )
    return loading
  }
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const use = (isWanted: boolean) => {
    const module = useSyncExternalStore(
      subscribe,
      () => loaded,
      () => undefined,
    )
    const error = useSyncExternalStore(
      subscribe,
      () => failure,
      () => undefined,
    )
    useEffect(() => {
      // What went wrong is thrown below.
      if (isWanted) load().catch(() => undefined)
    }, [isWanted])
    if (isWanted && error !== undefined) throw error
    return module
  }
  return { load, use }
}
