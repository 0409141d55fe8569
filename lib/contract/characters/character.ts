/** What one character may hold: characters of text, or items. */
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
  /** Bytes of a picture or card that is sent; what is kept of it is smaller. */
  pictureBytes: 10_000_000,
} as const

/** What shipped characters are sorted by; a character may have others. */
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

/** How `GET /characters` sorts. Source: API contract, characters.md. */
export const SORTS = [
  'featured',
  'highestRating',
  'highlyRated',
  'highlyRatedAndRecent',
  'imports',
  'mostRecent',
  'ratingCount',
] as const

/**
 * Control characters, marks that turn the direction of what follows, and the byte order mark: none is ever part of what a
 * person meant to write. The marks that join letters and emoji stay.
 */
const NEVER_MEANT = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** Text of a person or a file as it is kept: well-formed, with plain line ends, without invisible marks, trimmed. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(NEVER_MEANT, '')
    .trim()
}

/** The same on one line. */
export const cleanLine = (text: string): string => cleanText(text).replace(/\s+/g, ' ')

/** A tag or category as it is kept and compared: one line, lower-case, without the mark that people write before it. */
export const cleanLabel = (text: string): string =>
  cleanLine(text)
    .replace(/^#+\s*/, '')
    .toLowerCase()

/** Cuts at a bound without splitting a character. */
export function cut(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters
    ? text
    : text
        .slice(0, maxCharacters)
        .toWellFormed()
        .replace(/\ufffd$/, '')
}

/** Whoever talks to a character, where nobody gave a name. */
const SOMEBODY = 'User'

const NAME = /\{\{\s*char\s*\}\}|<(?:bot|char)>/gi
const PERSON = /\{\{\s*user\s*\}\}|<user>/gi
/** Notes of a card's maker that no model should read. */
const NOTE = /\{\{\s*(?:\/\/|comment:)[^{}]{0,2000}\}\}/gi

/** Puts the names in where a character's texts have `{{char}}` and `{{user}}`, as character cards write them. */
export const resolveMacros = (text: string, name: string): string => fillNames(text, name, SOMEBODY)

/** The same with a name for whoever is talking to it; without one, they are called `User`. */
export function fillNames(text: string, name: string, person: string): string {
  // As functions: a name may hold what `replace` would read as a pattern of its own.
  return text
    .replace(NOTE, '')
    .replace(NAME, () => name)
    .replace(PERSON, () => person || SOMEBODY)
}
