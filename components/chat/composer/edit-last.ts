/** Marks the button that edits a question; the last one on the page is that of the last question. */
const EDIT_QUESTION = 'data-edit-question'

/** Opens the last question for editing. False when there is none on screen. */
export function editLastQuestion(): boolean {
  const last = [...document.querySelectorAll<HTMLElement>(`[${EDIT_QUESTION}]`)].at(-1)
  last?.click()
  return last !== undefined
}
