import { DEFAULT_LANGUAGE, type LanguageTag } from '@/lib/i18n/languages'

type Holder = typeof globalThis & {
  /** The server answers many at once: the language of the current request (server/request-language.ts). */
  __serviceLanguage?: { getStore: () => LanguageTag | undefined }
}

let spoken: LanguageTag = DEFAULT_LANGUAGE

export const language = (): LanguageTag => (globalThis as Holder).__serviceLanguage?.getStore() ?? spoken

export function speak(tag: LanguageTag): void {
  spoken = tag
}
