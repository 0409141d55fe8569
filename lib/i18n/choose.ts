import { choiceIn, LANGUAGE_COOKIE, type LanguageTag } from '@/lib/i18n/languages'

const YEAR_S = 31_536_000

/** What this browser was told to speak; nothing while it is left to the browser's own settings. */
export const chosenLanguage = (): LanguageTag | undefined => choiceIn(document.cookie)

/**
 * Keeps the choice for pages that are loaded from now on, also for those that are kept to be read offline.
 *
 * @param tag nothing for what the browser's own settings say.
 */
export async function chooseLanguage(tag: LanguageTag | undefined): Promise<void> {
  keepChoice(tag)
  const worker = await navigator.serviceWorker?.getRegistration()
  worker?.active?.postMessage({ type: 'renew-pages' })
}

/** Without a language the choice is forgotten. */
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
