import type { ReactNode } from 'react'

/** What scrolls: a page of the documentation beside the list of all. */
export function DocsScroller({ children }: { children: ReactNode }) {
  return <div className="docs-scroller thin-scroll min-w-0 flex-1 overflow-y-auto overscroll-contain">{children}</div>
}
