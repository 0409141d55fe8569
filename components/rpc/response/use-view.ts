import { useSyncExternalStore } from 'react'

export const VIEWS = ['pretty', 'raw', 'decoded', 'headers'] as const
export type View = (typeof VIEWS)[number]

const KEY = 'lagoon:rpc-response-view'
const WRAP_KEY = 'lagoon:rpc-response-wrap'
const listeners = new Set<() => void>()
/** What this page chose, where the browser keeps nothing. */
const chosen = new Map<string, string>()

/** How the person looks at responses: next time it is the same. */
export function useView(): [View, (view: View) => void] {
  const kept = useKept(KEY)
  const view = VIEWS.find((one) => one === kept) ?? 'pretty'
  return [view, (next) => keep(KEY, next)]
}

/** Whether long lines go on below or to the side. */
export function useWrap(): [boolean, (isWrapped: boolean) => void] {
  return [useKept(WRAP_KEY) !== 'off', (isWrapped) => keep(WRAP_KEY, isWrapped ? 'on' : 'off')]
}

const useKept = (key: string): string | undefined =>
  useSyncExternalStore(
    subscribe,
    () => read(key),
    () => undefined,
  )

function read(key: string): string | undefined {
  const own = chosen.get(key)
  if (own !== undefined) return own
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    // Storage may be switched off.
    return undefined
  }
}

function keep(key: string, value: string): void {
  chosen.set(key, value)
  try {
    localStorage.setItem(key, value)
  } catch {
    // Then it lasts as long as the page.
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
