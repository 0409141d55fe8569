import { useState } from 'react'
import type { RpcAnswer } from '@/components/rpc/client'
import { usePreference } from '@/lib/browser/preferences'

const BODY_VIEWS = ['pretty', 'raw', 'decoded'] as const
export const VIEWS = [...BODY_VIEWS, 'headers'] as const
export type View = (typeof VIEWS)[number]

/**
 * How the person looks at responses: next time it is the same. Headers are looked at for one response; the next opens on its
 * body.
 */
export function useView(answer: RpcAnswer): [View, (view: View) => void] {
  const [kept, keep] = usePreference('rpcView')
  const [headersOf, setHeadersOf] = useState<RpcAnswer>()
  const choose = (view: View) => {
    setHeadersOf(view === 'headers' ? answer : undefined)
    if (view !== 'headers') keep(view)
  }
  if (headersOf === answer) return ['headers', choose]
  // What the browser kept may be of another version.
  return [BODY_VIEWS.find((view) => view === kept) ?? 'pretty', choose]
}

/** Whether long lines go on below or to the side. */
export function useWrap(): [boolean, (isWrapped: boolean) => void] {
  const [kept, keep] = usePreference('rpcWrap')
  return [kept !== 'off', (isWrapped) => keep(isWrapped ? 'on' : 'off')]
}
