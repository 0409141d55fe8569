import { connection } from 'next/server'
import { loadCatalog } from '@/lib/i18n/catalogs'
import type { LanguageTag } from '@/lib/i18n/languages'
import { language } from '@/lib/i18n/t'

export async function ready(): Promise<LanguageTag> {
  await connection()
  await loadCatalog(language())
  return language()
}
