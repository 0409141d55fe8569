/**
 * Puts words into a text in place of what is selected, with a space to its neighbours where one is needed.
 *
 * @returns the new text, and the place after the words.
 */
export function insertWords(
  text: string,
  selection: { start: number; end: number },
  words: string,
): { text: string; caret: number } {
  const before = text.slice(0, selection.start)
  const after = text.slice(selection.end)
  const lead = before === '' || /\s$/.test(before) ? '' : ' '
  const tail = after === '' || /^[\s.,;:!?)\]}]/.test(after) ? '' : ' '
  const inserted = `${lead}${words.trim()}${tail}`
  return { text: before + inserted + after, caret: before.length + inserted.length }
}
