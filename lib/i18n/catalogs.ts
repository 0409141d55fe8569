import { DEFAULT_LANGUAGE, type LanguageTag } from '@/lib/i18n/languages'

/** The translation of one English sentence: text, or a form for each plural category of the language (Unicode CLDR). */
export type Message = string | Partial<Record<Intl.LDMLPluralRule, string>>

export type Catalog = Record<string, Message>

type Loaded = { default: Record<string, unknown> }

const FILES: Record<Exclude<LanguageTag, 'en'>, () => Promise<Loaded>> = {
  de: () => import('@/lib/i18n/messages/de.json'),
  es: () => import('@/lib/i18n/messages/es.json'),
  fr: () => import('@/lib/i18n/messages/fr.json'),
  pt: () => import('@/lib/i18n/messages/pt.json'),
  ar: () => import('@/lib/i18n/messages/ar.json'),
  ja: () => import('@/lib/i18n/messages/ja.json'),
  zh: () => import('@/lib/i18n/messages/zh.json'),
}

/** The server renders in two layers, each with modules of its own: loaded messages are common to them. */
const holder = globalThis as typeof globalThis & { __serviceCatalogs?: Map<LanguageTag, Catalog> }
holder.__serviceCatalogs ??= new Map([[DEFAULT_LANGUAGE, {}]])
const catalogs = holder.__serviceCatalogs

const loading = new Map<LanguageTag, Promise<Catalog>>()

export const catalogOf = (tag: LanguageTag): Catalog | undefined => catalogs.get(tag)

/** Loads the messages of a language, once. @throws where the browser cannot fetch them; may be called again. */
export function loadCatalog(tag: LanguageTag): Promise<Catalog> {
  const known = loading.get(tag)
  if (known) return known
  const file = tag === 'en' ? Promise.resolve({}) : FILES[tag]().then((module) => module.default as Catalog)
  const catalog = file.then((messages) => {
    catalogs.set(tag, messages)
    return messages
  })
  catalog.catch(() => loading.delete(tag))
  loading.set(tag, catalog)
  return catalog
}
