import './maths.css'

const TIMEOUT_MS = 1_500

/** Resolves when the font of formulas is there, so that they do not change under the reader's eyes; never fails. */
export async function loadFace(): Promise<void> {
  const isHere = globalThis.document?.fonts.load('1em Formula', '=').catch(() => undefined)
  const isLate = new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS))
  await Promise.race([isHere, isLate])
}
