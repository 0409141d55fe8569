// Bounds of one character, in characters of text or in items.
export const LIMITS = {
  name: 80,
  description: 1_000,
  prompt: 20_000,
  greeting: 4_000,
  contextMessages: 20,
  contextMessage: 4_000,
  tags: 12,
  categories: 4,
  label: 40,
  review: 1_000,
  pictureBytes: 10_000_000,
} as const

export const CATEGORIES = [
  'learning',
  'coding',
  'writing',
  'languages',
  'philosophy',
  'science',
  'games',
  'health',
  'business',
  'life',
] as const

// Source: API contract, characters.md.
export const SORTS = [
  'featured',
  'highestRating',
  'highlyRated',
  'highlyRatedAndRecent',
  'imports',
  'mostRecent',
  'ratingCount',
] as const

// Control characters, bidirectional marks and the byte order mark. Marks that join letters and emoji stay.
const NEVER_MEANT = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(NEVER_MEANT, '')
    .trim()
}

export const cleanLine = (text: string): string => cleanText(text).replace(/\s+/g, ' ')

export const cleanLabel = (text: string): string =>
  cleanLine(text)
    .replace(/^#+\s*/, '')
    .toLowerCase()

export function cut(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters
    ? text
    : text
        .slice(0, maxCharacters)
        .toWellFormed()
        .replace(/\ufffd$/, '')
}

const SOMEBODY = 'User'

const NAME = /\{\{\s*char\s*\}\}|<(?:bot|char)>/gi
const PERSON = /\{\{\s*user\s*\}\}|<user>/gi
const NOTE = /\{\{\s*(?:\/\/|comment:)[^{}]{0,2000}\}\}/gi

export const resolveMacros = (text: string, name: string): string => fillNames(text, name, SOMEBODY)

export function fillNames(text: string, name: string, person: string): string {
  // As functions: a name may hold what `replace` would read as a pattern of its own.
  return text
    .replace(NOTE, '')
    .replace(NAME, () => name)
    .replace(PERSON, () => person || SOMEBODY)
}
