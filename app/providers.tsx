'use client'

import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { queryClient } from '@/lib/browser/queries'

/** What every screen needs around it. */
export function Providers({ children }: { children: ReactNode }) {
  // The page answers from now on: what drives it by program waits for this mark, since it is faster than a person.
  useEffect(() => {
    document.documentElement.dataset.live = ''
  }, [])
  return <QueryClientProvider client={queryClient()}>{children}</QueryClientProvider>
}
