/** A page that was loaded has had its first moments then. */
export const FIRST_MOMENTS_MS = 4_000

let isQuiet = false

/** Does something that moves the focus, without being taken for a person. */
export function quietly(act: () => void): void {
  isQuiet = true
  act()
  isQuiet = false
}

/** What a person does before anything else. */
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const

/**
 * Calls once when somebody is there: what only they will need is no part of how the page begins.
 *
 * @param latestMs after so long also where nobody is.
 * @returns what lets go.
 */
export function atFirstSign(act: () => void, latestMs?: number): () => void {
  const controller = new AbortController()
  const once = () => {
    if (isQuiet) return
    letGo()
    act()
  }
  const timer = latestMs === undefined ? undefined : setTimeout(once, latestMs)
  const letGo = () => {
    clearTimeout(timer)
    controller.abort()
  }
  for (const sign of SIGNS) window.addEventListener(sign, once, { passive: true, signal: controller.signal })
  return letGo
}
