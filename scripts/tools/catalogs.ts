import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Catalog, Message } from '@/lib/i18n/catalogs'
import { DEFAULT_LANGUAGE, LANGUAGES, type LanguageTag } from '@/lib/i18n/languages'
import type { Sentences } from '@/scripts/tools/messages'

export const TRANSLATED: LanguageTag[] = LANGUAGES.map(({ tag }) => tag).filter((tag) => tag !== DEFAULT_LANGUAGE)

const catalogFile = (root: string, tag: LanguageTag): string =>
  path.join(root, 'lib', 'i18n', 'messages', `${tag}.json`)

export const readCatalog = async (root: string, tag: LanguageTag): Promise<Catalog> =>
  JSON.parse(await readFile(catalogFile(root, tag), 'utf8'))

export async function writeCatalog(
  root: string,
  tag: LanguageTag,
  catalog: Catalog,
  { sentences }: Sentences,
): Promise<void> {
  const kept = [...sentences.keys()].sort().flatMap((key) => (catalog[key] === undefined ? [] : [[key, catalog[key]]]))
  await writeFile(catalogFile(root, tag), `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`)
}

export const missingIn = (catalog: Catalog, { sentences }: Sentences): string[] =>
  [...sentences.keys()].sort().filter((key) => catalog[key] === undefined)

/**
 * Lists the faults of a catalogue as `sentence: reason`: messages that are missing, unused or unlike their sentence.
 */
export function catalogFaults(tag: LanguageTag, catalog: Catalog, { sentences }: Sentences): string[] {
  const wanted = new Intl.PluralRules(tag).resolvedOptions().pluralCategories
  return Object.entries(catalog).flatMap(([key, message]) => {
    const sentence = sentences.get(key)
    if (!sentence) return [`${key}: is said nowhere`]
    const isCounted = sentence.one !== undefined
    if (isCounted !== (typeof message !== 'string')) return [`${key}: ${isCounted ? 'has' : 'wants'} no plural forms`]
    const missing = isCounted ? wanted.filter((category) => formOf(message, category) === undefined) : []
    return [
      ...missing.map((category) => `${key}: has no form for "${category}"`),
      ...formsOf(message).flatMap((form) => placeFaults(key, form, isCounted)),
    ]
  })
}

const formsOf = (message: Message): string[] => (typeof message === 'string' ? [message] : Object.values(message))

const formOf = (message: Message, category: Intl.LDMLPluralRule): string | undefined =>
  typeof message === 'string' ? message : message[category]

function placeFaults(key: string, form: string, isCounted: boolean): string[] {
  if (form.trim() === '') return [`${key}: is empty`]
  const wanted = placesOf(key)
  const given = placesOf(form)
  const lost = [...wanted].filter((place) => !given.has(place) && !(isCounted && place === '{count}'))
  const added = [...given].filter((place) => !wanted.has(place))
  return [...lost.map((place) => `${key}: lacks ${place}`), ...added.map((place) => `${key}: has ${place} of its own`)]
}

const placesOf = (text: string): Set<string> => new Set(text.match(/\{\w+\}|<\/?\w+\/?>/g) ?? [])
