import { type RefObject, useEffect, useRef, useState } from 'react'
import { TARGET_EVENT } from '@/lib/browser/navigation'
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

/** A message that is to be shown. `at` differs each time it is asked for; `focused` had the focus then. */
type Target = { messageId: string; at: number; focused: Element | null }

/**
 * The message in the address (`?m=…`), once its branch is the one that is shown; the thread scrolls to it and marks it.
 * Asked for again, it is a new target.
 */
function useTargetMessage(chatId: string | null): Target | undefined {
  const [target, setTarget] = useState<Target & { chatId: string }>()
  useEffect(() => {
    if (chatId === null) return
    let isLeft = false
    const read = async () => {
      const focused = document.activeElement
      const messageId = new URLSearchParams(window.location.search).get('m')
      if (!messageId || messageId.length > 64) return setTarget(undefined)
      const { revealMessage } = await import('@/lib/browser/storage/reveal')
      const isThere = await revealMessage(chatId, messageId)
      if (!isLeft) setTarget(isThere ? { chatId, messageId, at: performance.now(), focused } : undefined)
    }
    void read()
    window.addEventListener(TARGET_EVENT, read)
    window.addEventListener('popstate', read)
    return () => {
      isLeft = true
      window.removeEventListener(TARGET_EVENT, read)
      window.removeEventListener('popstate', read)
    }
  }, [chatId])
  return target?.chatId === chatId ? target : undefined
}
