/**
 * Places in a model's text that are not markdown: they are marked before it is parsed and read again in the tree. The
 * brackets count as punctuation, as what they stand for does; the noncharacters inside them are in no honest text.
 */
const OPEN = '⟬\uFDD0'
const CLOSE = '\uFDD1⟭'

/** c: a citation by its place in the list, m: a formula by its place in the block, n: a note by its number. */
export type MarkKind = 'c' | 'm' | 'n'

export const markOf = (kind: MarkKind, index: number): string => `${OPEN}${kind}${index}${CLOSE}`

/** Splits words at their marks: every second piece and the one after it are the kind and the number of a mark. */
export const splitAtMarks = (text: string): string[] => text.split(/⟬\uFDD0([cmn])(\d{1,6})\uFDD1⟭/)

export const hasMark = (text: string): boolean => text.includes('\uFDD0')

const NONCHARACTERS = /[\uFDD0\uFDD1]/g
/** A citation as the service writes it: the numbers of sources, from 0. */
const CITATION = /\[REF\]\s*(\d{1,4}(?:[,\s]+\d{1,4}){0,9})\s*\[\/REF\]/g
const LOOSE = /\[\/?REF(?![A-Za-z])\]?/g
/** What may become a citation with the next words. */
const HALF = /[ \t]*\[(?:\/?(?:R(?:E(?:F(?:\](?:[\s\d,]{0,60}(?:\[(?:\/(?:R(?:E(?:F)?)?)?)?)?)?)?)?)?)?)?$/
const MOST_PASSES = 50

/** Marks the citations of a text. A half one at its end waits for the rest while the text grows; loose pieces go. */
export function markCitations(text: string, isStreaming: boolean): string {
  let marked = text.replace(NONCHARACTERS, '')
  if (!marked.includes('[')) return marked
  marked = marked.replace(CITATION, (_, places: string) =>
    Array.from(places.matchAll(/\d+/g), ([place]) => markOf('c', Number(place))).join(''),
  )
  if (isStreaming) marked = marked.replace(HALF, '')
  // What is left when a piece is taken out may be one itself.
  for (let pass = 0; pass < MOST_PASSES && marked.search(LOOSE) >= 0; pass++) marked = marked.replace(LOOSE, '')
  return marked.search(LOOSE) < 0 ? marked : marked.replaceAll('[', '')
}
