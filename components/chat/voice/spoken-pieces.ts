import { plainText } from '@/components/chat/citations/answer-text'

/** What is asked for at once after the first sentence: some ten seconds of speech. */
const PIECE_CHARACTERS = 240
/** The interface takes so many. */
const MAX_PIECE_CHARACTERS = 4_000
/** An hour of speech; nobody listens longer. */
const MAX_PIECES = 400

const CODE = /^ {0,3}(```|~~~)[^\n]*\n[\s\S]*?(?:\n {0,3}\1[^\n]*(?=\n|$)|$)/gm
const SOURCE_MARK = /[ \t]*\[REF\][^[\]]*\[\/REF\]/g
const ADDRESS = /https?:\/\/\S+/g

/**
 * An answer as it is read aloud: its words without marks, code and addresses, in pieces. The first is one sentence, so
 * that it is heard early.
 */
export function spokenPieces(markdown: string): string[] {
  const words = plainText(markdown.replace(CODE, '\n').replace(SOURCE_MARK, '')).replace(ADDRESS, '')
  const pieces: string[] = []
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(words)) {
    const sentence = segment.replace(/\s+/g, ' ').trim()
    if (!/[\p{L}\p{N}]/u.test(sentence)) continue
    const last = pieces.at(-1)
    if (pieces.length > 1 && last !== undefined && last.length + sentence.length < PIECE_CHARACTERS) {
      pieces[pieces.length - 1] = `${last} ${sentence}`
    } else if (pieces.length < MAX_PIECES) {
      pieces.push(sentence.slice(0, MAX_PIECE_CHARACTERS))
    }
  }
  return pieces
}
