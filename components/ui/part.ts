import { useEffect } from 'react'
import { create } from 'zustand'

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
  const useFetched = create<{ module?: T; failure?: unknown }>(() => ({}))
  let loading: Promise<T> | undefined
  const load = () => {
    loading ??= fetchModule().then(
      (module) => {
        useFetched.setState({ module })
        return module
      },
      (failure: unknown) => {
        loading = undefined
        useFetched.setState({ failure })
        // Whoever waited has heard it by then; who comes later tries again.
        setTimeout(() => useFetched.setState({ failure: undefined }))
        throw failure
      },
    )
    return loading
  }
  const use = (isWanted: boolean) => {
    const { module, failure } = useFetched()
    useEffect(() => {
      // What went wrong is thrown below.
      if (isWanted) load().catch(() => undefined)
    }, [isWanted])
    if (isWanted && failure !== undefined) throw failure
    return module
  }
  return { load, use }
}
