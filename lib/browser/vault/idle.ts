import { readPreference } from '@/lib/browser/preferences'

const LOOK_EVERY_MS = 5_000
const TELL_EVERY_MS = 10_000
const SIGNS = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const

type Tabs = { followActive: (listener: () => void) => void; sayActive: () => void; lock: () => Promise<void> }

export function lockWhenIdle({ followActive, lock, sayActive }: Tabs): void {
  let usedAt = Date.now()
  let notifiedAt = 0
  const note = () => {
    usedAt = Date.now()
    if (usedAt - notifiedAt < TELL_EVERY_MS) return
    notifiedAt = usedAt
    sayActive()
  }
  for (const sign of SIGNS) window.addEventListener(sign, note, { passive: true, capture: true })
  followActive(() => {
    usedAt = Date.now()
  })
  const look = () => {
    if (isIdle(Date.now() - usedAt, readPreference('vaultIdle')) && !isWriting()) void lock()
  }
  setInterval(look, LOOK_EVERY_MS)
  // A device that slept has not looked meanwhile.
  document.addEventListener('visibilitychange', look)
}

/** @param limit whole minutes, or `never`. */
export const isIdle = (unusedMs: number, limit: string): boolean =>
  limit !== 'never' && unusedMs >= (Number(limit) || 15) * 60_000

const isWriting = (): boolean => document.querySelector('article[aria-busy="true"]') !== null
