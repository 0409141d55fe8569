import { DEFAULT_PREFERENCES, readPreference } from '@/lib/browser/preferences'
import { isWriting } from '@/lib/browser/running-answers'

const LOOK_EVERY_MS = 5_000
const TELL_EVERY_MS = 10_000
const SIGNS = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const

/** When this page, or another tab of it, was last used; Unix milliseconds. */
let usedAt = 0

export function noteUse(): void {
  usedAt = Date.now()
}

/**
 * Locks once no tab was used for as long as the preference says, and no answer is being written.
 *
 * @param options.onUse is called at most every ten seconds while this page is used: other tabs are to know.
 */
export function lockWhenIdle({ lock, onUse }: { lock: () => Promise<void>; onUse: () => void }): void {
  noteUse()
  let notifiedAt = 0
  const note = () => {
    noteUse()
    if (usedAt - notifiedAt < TELL_EVERY_MS) return
    notifiedAt = usedAt
    onUse()
  }
  for (const sign of SIGNS) window.addEventListener(sign, note, { passive: true, capture: true })
  const look = () => {
    if (isIdle(Date.now() - usedAt, readPreference('vaultIdle')) && !isWriting()) void lock()
  }
  setInterval(look, LOOK_EVERY_MS)
  // A device that slept has not looked meanwhile.
  document.addEventListener('visibilitychange', look)
}

/** @param limit whole minutes, or `never`. */
export const isIdle = (unusedMs: number, limit: string): boolean =>
  limit !== 'never' && unusedMs >= (Number(limit) || Number(DEFAULT_PREFERENCES.vaultIdle)) * 60_000
