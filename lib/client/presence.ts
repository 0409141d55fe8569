/** What a person does before anything is asked of the page. */
const FIRST_SIGNS = ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const

/**
 * Calls back once, at the first sign of a person; what a page needs only then is not fetched while it begins.
 *
 * @param latestMs after so many milliseconds also without one.
 * @returns the way to call it off.
 */
export function atFirstSign(act: () => void, latestMs?: number): () => void {
  const controller = new AbortController()
  const once = () => {
    callOff()
    act()
  }
  const timer = latestMs === undefined ? undefined : setTimeout(once, latestMs)
  const callOff = () => {
    clearTimeout(timer)
    controller.abort()
  }
  for (const sign of FIRST_SIGNS) {
    window.addEventListener(sign, once, { passive: true, signal: controller.signal })
  }
  return callOff
}
