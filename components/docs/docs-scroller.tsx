import type { ReactNode } from 'react'

export function DocsScroller({ children }: { children: ReactNode }) {
  return <div className="docs-scroller thin-scroll min-w-0 flex-1 overflow-y-auto overscroll-contain">{children}</div>
}
