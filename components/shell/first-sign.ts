/** What a person does before anything else. */
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const

/** Calls once when somebody is there: what only they will need is no part of how the page begins. @returns what lets go. */
export function atFirstSign(act: () => void): () => void {
  const controller = new AbortController()
  const once = () => {
    controller.abort()
    act()
  }
  for (const sign of SIGNS) window.addEventListener(sign, once, { passive: true, signal: controller.signal })
  return () => controller.abort()
}
