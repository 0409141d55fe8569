'use client'

import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, type ReactNode, use, useEffect } from 'react'
import { queryClient } from '@/lib/browser/queries'
import type { LanguageTag } from '@/lib/i18n/languages'
import { catalogOf, loadCatalog, speak } from '@/lib/i18n/t'

export function Providers({ children }: { children: ReactNode }) {
  // The page answers from now on: what drives it by program waits for this mark, since it is faster than a person.
  useEffect(() => {
    document.documentElement.dataset.live = ''
  }, [])
  return <QueryClientProvider client={queryClient()}>{children}</QueryClientProvider>
}

const RightToLeft = lazy(() => import('@/app/right-to-left'))

type SpokenLanguageProps = { tag: LanguageTag; isRtl: boolean; children: ReactNode }

export function SpokenLanguage({ tag, isRtl, children }: SpokenLanguageProps) {
  if (!catalogOf(tag)) use(loadCatalog(tag))
  // On the server the request says which language is spoken; there are many at once.
  if (typeof window !== 'undefined') speak(tag)
  return isRtl ? <RightToLeft>{children}</RightToLeft> : children
}
