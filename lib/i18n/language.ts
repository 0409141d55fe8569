import { DEFAULT_LANGUAGE, type LanguageTag } from '@/lib/i18n/languages'

type Holder = typeof globalThis & {
  /** The server speaks to many at once: what the request at hand is to be answered in (server/language.ts). */
  __serviceLanguage?: { getStore: () => LanguageTag | undefined }
}

/** A page speaks one language for as long as it is open. */
let spoken: LanguageTag = DEFAULT_LANGUAGE

/** The language of this page, or of the request that is being answered. */
export const language = (): LanguageTag => (globalThis as Holder).__serviceLanguage?.getStore() ?? spoken

/** In a browser: says what the page speaks from now on. */
export function speak(tag: LanguageTag): void {
  spoken = tag
}
