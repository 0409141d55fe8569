'use client'

import { type ReactNode, use } from 'react'
import { catalogOf, loadCatalog } from '@/lib/i18n/catalogs'
import { speak } from '@/lib/i18n/language'
import type { LanguageTag } from '@/lib/i18n/languages'

/** What is in it speaks a language. In a browser it waits for the messages: until then the server's page is looked at. */
export function SpokenLanguage({ tag, children }: { tag: LanguageTag; children: ReactNode }) {
  if (!catalogOf(tag)) use(loadCatalog(tag))
  // On the server the request says which language is spoken; there are many at once.
  if (typeof window !== 'undefined') speak(tag)
  return children
}
