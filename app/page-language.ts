import type { Metadata } from 'next'
import { connection } from 'next/server'
import type { LanguageTag } from '@/lib/i18n/languages'
import { language, loadCatalog, t } from '@/lib/i18n/t'

/** Returns the language of the request once its messages are loaded; each page and layout waits for it. */
export async function ready(): Promise<LanguageTag> {
  await connection()
  await loadCatalog(language())
  return language()
}

/** Returns the `generateMetadata` of a page whose title is an English message. */
export const titled =
  (title: string, others: Omit<Metadata, 'title'> = {}) =>
  async (): Promise<Metadata> => {
    await ready()
    return { title: t(title), ...others }
  }
