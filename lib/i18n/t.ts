import { DEFAULT_LANGUAGE, type LanguageTag } from '@/lib/i18n/languages'

/**
 * The values of a sentence's placeholders. Numbers are formatted for the language; pass a number that is a name as a
 * string.
 */
export type Values<S extends string> = string extends S
  ? Record<string, string | number>
  : Record<Names<S>, string | number>

/** The names between braces: `{count} of {total}`. */
type Names<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never

type Filling<S extends string> = string extends S
  ? [values?: Values<S>]
  : [Names<S>] extends [never]
    ? []
    : [values: Values<S>]

export type Forms<One extends string, Other extends string> = { one: One; other: Other }

/**
 * Translates an English sentence and fills its placeholders. One without a translation stays English.
 * @param sentence a literal: translators are shown it as it stands.
 */
export function t<S extends string>(sentence: S, ...[values]: Filling<NoInfer<S>>): string {
  const message = catalogOf(language())?.[sentence]
  return fill(typeof message === 'string' ? message : sentence, values)
}

/** Translates a counted sentence: `plural(3, { one: '{count} file', other: '{count} files' })`. */
export function plural<One extends string, Other extends string>(
  count: number,
  forms: Forms<One, Other>,
  values?: Omit<Values<One | Other>, 'count'>,
): string {
  return fill(formOf(count, forms), { ...values, count })
}

export const msg = <S extends string>(sentence: S): S => sentence

export const formatNumber = (value: number | Intl.StringNumericLiteral, options?: Intl.NumberFormatOptions): string =>
  numberFormat(options).format(value)

/** Formats a decimal as exactly as it is written. @example formatDecimal('1234.50') // "1,234.50" */
export function formatDecimal(text: string): string {
  const digits = text.split('.')[1]?.length ?? 0
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return formatNumber(text as Intl.StringNumericLiteral, options)
}

export const formatDate = (at: Date | number, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(language(), options).format(at)

function formOf(count: number, forms: Forms<string, string>): string {
  const tag = language()
  const message: Message = catalogOf(tag)?.[forms.other] ?? forms
  if (typeof message === 'string') return message
  return message[pluralRules(tag).select(count)] ?? message.other ?? forms.other
}

export function fill(sentence: string, values: Record<string, string | number> | undefined): string {
  if (!values) return sentence
  return sentence.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) return place
    return typeof value === 'number' ? formatNumber(value) : value
  })
}

const rules = new Map<string, Intl.PluralRules>()
const formats = new Map<string, Intl.NumberFormat>()

function pluralRules(tag: string): Intl.PluralRules {
  const known = rules.get(tag) ?? new Intl.PluralRules(tag)
  rules.set(tag, known)
  return known
}

function numberFormat(options?: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${language()} ${JSON.stringify(options)}`
  const known = formats.get(key) ?? new Intl.NumberFormat(language(), options)
  formats.set(key, known)
  return known
}

type Holder = typeof globalThis & {
  /** The server answers many at once: the language of the current request (server/request-language.ts). */
  __serviceLanguage?: { getStore: () => LanguageTag | undefined }
}

let spoken: LanguageTag = DEFAULT_LANGUAGE

export const language = (): LanguageTag => (globalThis as Holder).__serviceLanguage?.getStore() ?? spoken

export function speak(tag: LanguageTag): void {
  spoken = tag
}

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
