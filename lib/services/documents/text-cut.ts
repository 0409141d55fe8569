/** A cut goes back at most this share of the text to end at a line or a word. */
const BACK_SHARE = 0.05

/** The start of a text, at most `maxChars` UTF-16 units, ended at a line, else a word, else a whole character. */
export function cutText(text: string, maxChars: number): { text: string; isTruncated: boolean } {
  if (text.length <= maxChars) return { text, isTruncated: false }
  const earliest = Math.floor(maxChars * (1 - BACK_SHARE))
  const line = text.lastIndexOf('\n', maxChars)
  if (line >= earliest) return { text: text.slice(0, line), isTruncated: true }
  const space = text.lastIndexOf(' ', maxChars)
  if (space >= earliest) return { text: text.slice(0, space), isTruncated: true }
  return { text: text.slice(0, isLowSurrogate(text, maxChars) ? maxChars - 1 : maxChars), isTruncated: true }
}

/**
 * Takes out what no reader sees but a model would: control characters (tab and line feed stay), and what shows nothing or
 * turns the text around it: tags, variation selectors, blanks of no width, in which whole sentences can be hidden. Joiners
 * belong to scripts and emoji.
 */
export function dropInvisible(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(INVISIBLE, '')
    .replace(/[\u2028\u2029]/g, '\n')
}

const KEPT = String.raw`\t\n\u200c-\u200d\ufe0e-\ufe0f`
const INVISIBLE = new RegExp(String.raw`[[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[${KEPT}]]`, 'gv')

const isLowSurrogate = (text: string, index: number): boolean => (text.charCodeAt(index) & 0xfc00) === 0xdc00
