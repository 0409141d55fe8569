import { useEffect, useRef, useState } from 'react'
import { create } from 'zustand'

export type Part<T> = {
  load: () => Promise<T>
  /**
   * Returns the module once it is loaded.
   * @param isWanted fetches it.
   * @throws to the nearest error boundary when it cannot be fetched.
   */
  use: (isWanted: boolean) => T | undefined
}

/**
 * Creates a lazily loaded part. `dynamic()` suspends also where the module is loaded already, and React then shows it
 * up to 300 ms late.
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

export function usePopover<T>(part: Part<T>) {
  const [state, setState] = useState<'unopened' | 'open' | 'closed'>('unopened')
  const anchor = useRef<HTMLButtonElement>(null)
  const isOpen = state === 'open'
  const module = part.use(state !== 'unopened')
  const toggle = () => setState(isOpen ? 'closed' : 'open')
  // What cannot be fetched is told once it is opened.
  const prepare = () => void part.load().catch(() => undefined)
  return {
    trigger: {
      ref: anchor,
      'aria-haspopup': 'dialog',
      'aria-expanded': isOpen,
      onClick: toggle,
      onPointerEnter: prepare,
      onFocus: prepare,
    },
    popover:
      module && state !== 'unopened'
        ? { part: module, props: { isOpen, onClose: () => setState('closed'), anchor } }
        : undefined,
    toggle,
  } as const
}

/** The page behind a sheet, also while the sheet itself is being fetched. */
export const SHEET_OVERLAY = 'fixed inset-0 z-40 bg-[rgb(10_12_16/0.45)]'
