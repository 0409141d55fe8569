import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import Negotiator from 'negotiator'
import { choiceIn } from '@/lib/i18n/language-cookie'
import { DEFAULT_LANGUAGE, isLanguageTag, LANGUAGES, type LanguageTag } from '@/lib/i18n/languages'

const TAGS: string[] = LANGUAGES.map(({ tag }) => tag)

const holder = globalThis as typeof globalThis & { __serviceLanguage?: AsyncLocalStorage<LanguageTag> }
holder.__serviceLanguage ??= new AsyncLocalStorage()
const spoken = holder.__serviceLanguage

/** Runs `answer` with the request's language, which `language()` (lib/i18n/t.ts) returns. */
export function inLanguageOf(request: IncomingMessage, answer: () => void): void {
  spoken.run(languageOf(request), answer)
}

export function languageOf(request: Pick<IncomingMessage, 'headers'>): LanguageTag {
  const chosen = choiceIn(request.headers.cookie ?? '')
  if (chosen) return chosen
  const [wanted] = new Negotiator(request).languages(TAGS)
  return isLanguageTag(wanted) ? wanted : DEFAULT_LANGUAGE
}
