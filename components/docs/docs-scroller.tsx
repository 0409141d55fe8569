'use client'

import { usePathname } from 'next/navigation'
import { type ReactNode, useEffect, useRef } from 'react'

/** How far each page was read while this tab is open; what was left is read on where it was left. */
const places = new Map<string, number>()
let isGoingBack = false

/** What scrolls. The window itself does not, so that a browser does not bring its place back by itself. */
export function DocsScroller({ children }: { children: ReactNode }) {
  const pathname = usePathname()
  const scroller = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const noteBack = () => {
      isGoingBack = true
    }
    const element = scroller.current
    const place = isGoingBack ? places.get(pathname) : undefined
    if (element && place !== undefined && window.location.hash === '') element.scrollTop = place
    isGoingBack = false
    window.addEventListener('popstate', noteBack)
    return () => window.removeEventListener('popstate', noteBack)
  }, [pathname])
  return (
    <div
      ref={scroller}
      onScroll={({ currentTarget }) => places.set(pathname, currentTarget.scrollTop)}
      className="docs-scroller thin-scroll min-w-0 flex-1 overflow-y-auto overscroll-contain"
    >
      {children}
    </div>
  )
}
