import { isLanguageTag, type LanguageTag } from '@/lib/i18n/languages'

const LANGUAGE_COOKIE = 'language'
const CHOICE = new RegExp(`(?:^|;\\s*)${LANGUAGE_COOKIE}=(\\w+)`)
const YEAR_S = 31_536_000

/** @param cookies as in `document.cookie` and in the header. */
export function choiceIn(cookies: string): LanguageTag | undefined {
  const tag = CHOICE.exec(cookies)?.[1]
  return isLanguageTag(tag) ? tag : undefined
}

export const chosenLanguage = (): LanguageTag | undefined => choiceIn(document.cookie)

/**
 * Stores the choice for pages loaded from now on, offline copies included.
 * @param tag nothing for the browser's own settings.
 */
export async function chooseLanguage(tag: LanguageTag | undefined): Promise<void> {
  keepChoice(tag)
  const worker = await navigator.serviceWorker?.getRegistration()
  worker?.active?.postMessage({ type: 'renew-pages' })
}

export function keepChoice(tag: LanguageTag | undefined): void {
  // biome-ignore lint/suspicious/noDocumentCookie: not all browsers have another way
  document.cookie = cookieFor(tag, window.location.protocol === 'https:')
}

export const cookieFor = (tag: LanguageTag | undefined, isSecure: boolean): string =>
  [
    `${LANGUAGE_COOKIE}=${tag ?? ''}`,
    'Path=/',
    `Max-Age=${tag ? YEAR_S : 0}`,
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ')
