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
