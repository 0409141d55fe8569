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
