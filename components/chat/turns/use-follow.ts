import { type RefObject, useEffect, useRef, useState } from 'react'
import { UNFOLD_EVENT } from '@/components/markdown/code-lines'

/** Pixels from the end beyond which the way back appears. */
const SHOW_JUMP_BEYOND = 200
/** Pixels from the end within which the reader is at the end again. */
const AT_END_WITHIN = 60

const NEWEST = '[data-newest]'

const positions = new Map<string, number | 'end'>()

export const leftAt = (chatId: string): number | 'end' => positions.get(chatId) ?? 'end'

/**
 * Keeps the end of a growing text in view while the reader is there. Scrolling up detaches at once; a new question
 * attaches again.
 */
export function useFollow(scroller: RefObject<HTMLElement | null>, chatId: string, lastQuestionId: string | undefined) {
  const isPinned = useRef(true)
  const [canJump, setCanJump] = useState(false)
  const [newLines, setNewLines] = useState(0)

  useEffect(() => {
    const element = scroller.current
    const content = element?.firstElementChild
    if (!element || !content) return
    const toEnd = () => {
      element.scrollTop = element.scrollHeight
    }
    const left = leftAt(chatId)
    isPinned.current = left === 'end'
    if (left === 'end') toEnd()
    else element.scrollTop = left

    let lastTop = element.scrollTop
    let lastFromEnd = 0
    let seen: Seen | undefined
    const look = () => {
      const fromEnd = element.scrollHeight - element.scrollTop - element.clientHeight
      lastFromEnd = fromEnd
      // Looked for only while somebody reads elsewhere: at the end this runs with every word.
      const newest = isPinned.current ? null : content.querySelector<HTMLElement>(NEWEST)
      if (isPinned.current) seen = undefined
      else if (newest) seen ??= seenOf(newest)
      // In a long chat the newest turn leaves the document with its reader: what was known of it stays.
      if (!seen) setNewLines(0)
      else if (newest) setNewLines(linesSince(seen, newest))
      setCanJump((can) => (can ? fromEnd > AT_END_WITHIN : !isPinned.current && fromEnd > SHOW_JUMP_BEYOND))
    }
    const onScroll = () => {
      const top = element.scrollTop
      const fromEnd = element.scrollHeight - top - element.clientHeight
      if (fromEnd < AT_END_WITHIN) isPinned.current = true
      else if (top < lastTop - 1) isPinned.current = false
      lastTop = top
      positions.set(chatId, isPinned.current ? 'end' : top)
      look()
    }
    const onWheel = (event: WheelEvent) => {
      if (event.deltaY < 0 && element.scrollHeight > element.clientHeight) isPinned.current = false
    }
    const onUnfold = () => {
      isPinned.current = false
    }
    const observer = new ResizeObserver((entries) => {
      // Whoever was at the end stays there when the window, a keyboard or the field takes room: turning a wheel that moved
      // nothing was no leaving. What grows while someone turns it, though, must not take them back.
      const isWindow = entries.some(({ target }) => target === element)
      if (isWindow && lastFromEnd < AT_END_WITHIN) isPinned.current = true
      if (isPinned.current) toEnd()
      look()
    })
    observer.observe(content)
    observer.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    element.addEventListener('wheel', onWheel, { passive: true })
    element.addEventListener(UNFOLD_EVENT, onUnfold)
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', onScroll)
      element.removeEventListener('wheel', onWheel)
      element.removeEventListener(UNFOLD_EVENT, onUnfold)
    }
  }, [scroller, chatId])

  const jump = () => {
    isPinned.current = true
    setCanJump(false)
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight
  }
  const seenQuestionId = useRef(lastQuestionId)
  useEffect(() => {
    if (seenQuestionId.current === lastQuestionId) return
    seenQuestionId.current = lastQuestionId
    isPinned.current = true
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight
  }, [lastQuestionId, scroller])

  return { canJump, newLines, jump }
}

type Seen = { id: string | undefined; height: number }

const seenOf = (turn: HTMLElement): Seen => ({ id: turn.dataset.turn, height: turn.offsetHeight })

function linesSince({ id, height }: Seen, turn: HTMLElement): number {
  const grown = turn.offsetHeight - (turn.dataset.turn === id ? height : 0)
  return Math.max(0, Math.floor(grown / Number.parseFloat(getComputedStyle(turn).lineHeight)))
}
