import { connection } from 'next/server'
import { loadCatalog } from '@/lib/i18n/catalogs'
import { language } from '@/lib/i18n/current-language'
import type { LanguageTag } from '@/lib/i18n/languages'

export async function ready(): Promise<LanguageTag> {
  await connection()
  await loadCatalog(language())
  return language()
}
