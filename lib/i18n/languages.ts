export type Language = { tag: string; name: string; direction: 'ltr' | 'rtl' }

export const LANGUAGES = [
  { tag: 'en', name: 'English', direction: 'ltr' },
  { tag: 'de', name: 'Deutsch', direction: 'ltr' },
  { tag: 'es', name: 'Español', direction: 'ltr' },
  { tag: 'fr', name: 'Français', direction: 'ltr' },
  { tag: 'pt', name: 'Português', direction: 'ltr' },
  { tag: 'ar', name: 'العربية', direction: 'rtl' },
  { tag: 'ja', name: '日本語', direction: 'ltr' },
  { tag: 'zh', name: '简体中文', direction: 'ltr' },
] as const satisfies Language[]

export type LanguageTag = (typeof LANGUAGES)[number]['tag']

export const DEFAULT_LANGUAGE: LanguageTag = 'en'

export const isLanguageTag = (tag: string | undefined): tag is LanguageTag =>
  LANGUAGES.some((language) => language.tag === tag)

export const directionOf = (tag: LanguageTag): Language['direction'] =>
  LANGUAGES.find((language) => language.tag === tag)?.direction ?? 'ltr'
