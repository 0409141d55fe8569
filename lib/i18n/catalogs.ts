import { DEFAULT_LANGUAGE, type LanguageTag } from '@/lib/i18n/languages'

/** What stands for one English sentence: words, or a form for each plural category of the language (Unicode CLDR). */
export type Message = string | Partial<Record<Intl.LDMLPluralRule, string>>

/** English sentence → what stands for it. A counted sentence is named by its `other` form. */
export type Catalog = Record<string, Message>

type Loaded = { default: Record<string, unknown> }

/** One file for each language, which a browser fetches if it is to be spoken. */
const FILES: Record<Exclude<LanguageTag, 'en'>, () => Promise<Loaded>> = {
  de: () => import('@/lib/i18n/messages/de.json'),
  es: () => import('@/lib/i18n/messages/es.json'),
  fr: () => import('@/lib/i18n/messages/fr.json'),
  pt: () => import('@/lib/i18n/messages/pt.json'),
  ar: () => import('@/lib/i18n/messages/ar.json'),
  ja: () => import('@/lib/i18n/messages/ja.json'),
  zh: () => import('@/lib/i18n/messages/zh.json'),
}

/** The server renders in two layers, each with modules of its own: what is loaded is common to them. */
const holder = globalThis as typeof globalThis & { __serviceCatalogs?: Map<LanguageTag, Catalog> }
holder.__serviceCatalogs ??= new Map([[DEFAULT_LANGUAGE, {}]])
const catalogs = holder.__serviceCatalogs

const loading = new Map<LanguageTag, Promise<Catalog>>()

/** The messages of a language, if they were loaded. */
export const catalogOf = (tag: LanguageTag): Catalog | undefined => catalogs.get(tag)

/**
 * Loads the messages of a language, once.
 *
 * @throws where the browser cannot fetch them; may be called again.
 */
export function loadCatalog(tag: LanguageTag): Promise<Catalog> {
  let asked = loading.get(tag)
  if (!asked) {
    asked = tag === 'en' ? Promise.resolve({}) : FILES[tag]().then((file) => file.default as Catalog)
    asked = asked.then((catalog) => {
      catalogs.set(tag, catalog)
      return catalog
    })
    asked.catch(() => loading.delete(tag))
    loading.set(tag, asked)
  }
  return asked
}
