export const FIRST_MOMENTS_MS = 4_000

let isQuiet = false

export function quietly(act: () => void): void {
  isQuiet = true
  act()
  isQuiet = false
}

const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const

/**
 * Calls once when a person is there, so that what only they need is no part of the page's start.
 * @param latestMs after so long also where nobody is.
 * @returns what stops it.
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
