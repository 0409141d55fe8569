import { connection } from 'next/server'
import { loadCatalog } from '@/lib/i18n/catalogs'
import { language } from '@/lib/i18n/language'
import type { LanguageTag } from '@/lib/i18n/languages'

/**
 * Waits for the messages of the request's language: pages are rendered on demand, each in the language of who asks.
 * Layouts, pages and their titles are rendered at once, so that each of them that speaks waits for itself.
 */
export async function ready(): Promise<LanguageTag> {
  await connection()
  await loadCatalog(language())
  return language()
}
