import { type RefObject, useEffect, useRef } from 'react'
import { type Target, useTargetMessage } from '@/components/chat/turns/use-target'
import type { Turn } from '@/lib/browser/storage/thread'

/** Frames in which a long thread is scrolled towards a turn that is not in the document yet. */
const MAX_FRAMES = 90
const MARKED_MS = 2_000
const MARK = ['bg-accent-soft', 'rounded-card']

/** Scrolls to the message in the address and marks it for a moment. Turns are found by `data-turn`. */
export function useJump(scroller: RefObject<HTMLElement | null>, chatId: string, turns: readonly Turn[]): void {
  const target = useTargetMessage(chatId)
  const done = useRef<Target>(undefined)
  const index = target ? turns.findIndex(({ id }) => id === target.messageId) : -1
  const count = turns.length
  useEffect(() => {
    if (!target || index < 0 || done.current === target) return
    let frame = 0
    let left = MAX_FRAMES
    const look = () => {
      const area = scroller.current
      const found = area?.querySelector<HTMLElement>(`[data-turn="${CSS.escape(target.messageId)}"]`)
      left -= 1
      if (found) {
        done.current = target
        show(found)
        if (!isWithin(area, target)) found.querySelector('article')?.focus({ preventScroll: true })
      } else if (area && left > 0) {
        // Only what is near the screen is in the document: go where it should be, and look again.
        area.scrollTop = (index / Math.max(1, count)) * area.scrollHeight
        frame = requestAnimationFrame(look)
      }
    }
    // After the thread has gone to its end, which is where it opens.
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(look)
    })
    return () => cancelAnimationFrame(frame)
  }, [target, index, count, scroller])
}

/** Whether a person has gone into the thread since: the focus is theirs, and not taken to the turn, from where the keys for turns go on. */
function isWithin(area: HTMLElement | null, { focused }: Target): boolean {
  const { activeElement } = document
  return activeElement !== focused && area !== null && area.contains(activeElement)
}

function show(turn: HTMLElement): void {
  turn.scrollIntoView({ block: 'start' })
  turn.classList.add(...MARK)
  // Heights above it become known as it is drawn.
  requestAnimationFrame(() => turn.scrollIntoView({ block: 'start' }))
  setTimeout(() => turn.classList.remove(...MARK), MARKED_MS)
}
