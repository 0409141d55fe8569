import { usePreference } from '@/lib/client/preferences'

export const VIEWS = ['pretty', 'raw', 'decoded', 'headers'] as const
export type View = (typeof VIEWS)[number]

/** How the person looks at responses: next time it is the same. */
export function useView(): [View, (view: View) => void] {
  const [kept, keep] = usePreference('rpcView')
  // What the browser kept may be of another version.
  return [VIEWS.find((view) => view === kept) ?? 'pretty', keep]
}

/** Whether long lines go on below or to the side. */
export function useWrap(): [boolean, (isWrapped: boolean) => void] {
  const [kept, keep] = usePreference('rpcWrap')
  return [kept !== 'off', (isWrapped) => keep(isWrapped ? 'on' : 'off')]
}
