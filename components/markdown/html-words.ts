/** Tags that people write between words, and that say nothing but how these look. */
const PLAIN_TAG = /^<(sub|sup|kbd|mark|u|ins|small|b|i|em|strong|s|del)>$/i
const LINE_BREAK = /^<br\s*\/?>$/i
const COMMENT = /^<!--[\s\S]*-->$/

export type PlainTag =
  | 'sub'
  | 'sup'
  | 'kbd'
  | 'mark'
  | 'u'
  | 'ins'
  | 'small'
  | 'b'
  | 'i'
  | 'em'
  | 'strong'
  | 's'
  | 'del'

/** HTML is shown as it was written, but for remarks. */
export const htmlWords = (html: string): string => (COMMENT.test(html.trim()) ? '' : html)

export const isLineBreak = (html: string): boolean => LINE_BREAK.test(html)

/** The name of a tag that may stand between words; none when it has attributes. */
export const plainTag = (html: string): PlainTag | undefined =>
  PLAIN_TAG.exec(html)?.[1]?.toLowerCase() as PlainTag | undefined

export const isEndOf = (html: string, tag: PlainTag): boolean => html.toLowerCase() === `</${tag}>`
