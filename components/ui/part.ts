import { useEffect, useRef, useState } from 'react'
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

/** A button and what opens from it, which is fetched when it is first opened, or about to be. */
export function usePopover<T>(part: Part<T>) {
  const [state, setState] = useState<'unopened' | 'open' | 'closed'>('unopened')
  const anchor = useRef<HTMLButtonElement>(null)
  const isOpen = state === 'open'
  const module = part.use(state !== 'unopened')
  const toggle = () => setState(isOpen ? 'closed' : 'open')
  // What cannot be fetched is told once it is opened.
  const prepare = () => void part.load().catch(() => undefined)
  return {
    /** For the button. */
    trigger: {
      ref: anchor,
      'aria-haspopup': 'dialog',
      'aria-expanded': isOpen,
      onClick: toggle,
      onPointerEnter: prepare,
      onFocus: prepare,
    },
    /** The module of what opens and what that is given; missing until it is first opened. */
    popover:
      module && state !== 'unopened'
        ? { part: module, props: { isOpen, onClose: () => setState('closed'), anchor } }
        : undefined,
    toggle,
  } as const
}
