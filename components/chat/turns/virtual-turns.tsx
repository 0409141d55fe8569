'use client'

import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { useFocusFallback } from '@/components/ui/use-focus-fallback'
import type { Turn } from '@/lib/browser/storage/thread'

const TYPICAL_HEIGHT = 160
const OVERSCAN = 3
const PASSED_BY_KEYS = ':focus-visible:not(input, textarea)'

export type LongThread = {
  /** Scrolls to where a turn is, as far as heights are known. */
  goTo: (index: number) => void
}

type VirtualTurnsProps = {
  ref: Ref<LongThread>
  startsAt: number | 'end'
  scroller: HTMLElement
  turns: Turn[]
  draw: (turn: Turn, index: number) => ReactNode
}

export function VirtualTurns({ ref, startsAt, scroller, turns, draw }: VirtualTurnsProps) {
  /** Stays mounted wherever the thread is scrolled to: what a turn has opened, or what is typed into it, is its own state. */
  const usedId = useRef<string>(undefined)
  const virtualizer = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller,
    estimateSize: () => TYPICAL_HEIGHT,
    initialOffset: () => (startsAt === 'end' ? turns.length * TYPICAL_HEIGHT : startsAt),
    getItemKey: (index) => turns[index]?.id ?? index,
    overscan: OVERSCAN,
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range)
      const used = turns.findIndex(({ id }) => id === usedId.current)
      return used < 0 || shown.includes(used) ? shown : [...shown, used].sort((one, other) => one - other)
    },
    // The end stays where it is while heights above it become known.
    anchorTo: 'end',
  })
  useImperativeHandle(
    ref,
    () => ({
      goTo: (index) => {
        const [offset] = virtualizer.getOffsetForIndex(index, 'start') ?? []
        if (offset !== undefined) scroller.scrollTop = offset
      },
    }),
    [virtualizer, scroller],
  )
  const list = useRef<HTMLDivElement>(null)
  // A turn that was scrolled away takes the focus along, and the keys that scroll would do nothing any more.
  useFocusFallback(list, () => () => scroller)
  useEndKeys(scroller)
  return (
    <div ref={list} className="relative" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map(({ index, key, start }) => {
        const turn = turns[index]
        if (!turn) return null
        return (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            onPointerDownCapture={() => {
              usedId.current = turn.id
            }}
            onFocusCapture={({ currentTarget, target }) => {
              // Whoever walks by keys leaves a turn that is scrolled away: the thread itself has the focus then.
              const isPassing = currentTarget.contains(target) && target.matches(PASSED_BY_KEYS)
              usedId.current = isPassing ? undefined : turn.id
            }}
            className="absolute inset-x-0"
            // By `top`: what sticks inside a turn would be laid out from where the turn was before a transform.
            style={{ top: start }}
          >
            {draw(turn, index)}
          </div>
        )
      })}
    </div>
  )
}

const SETTLING_FRAMES = 10

/** Handles Home and End. The browser's own smooth scrolling stops where heights become known. */
function useEndKeys(scroller: HTMLElement): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isModified = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey
      const isOwn = event.target instanceof Element && event.target.closest('input, textarea, select, audio, video')
      if ((event.key !== 'Home' && event.key !== 'End') || isModified || isOwn || event.defaultPrevented) return
      event.preventDefault()
      goToEnd(scroller, event.key)
    }
    scroller.addEventListener('keydown', onKeyDown)
    return () => scroller.removeEventListener('keydown', onKeyDown)
  }, [scroller])
}

function goToEnd(scroller: HTMLElement, key: 'Home' | 'End', framesLeft = SETTLING_FRAMES): void {
  scroller.scrollTop = key === 'Home' ? 0 : scroller.scrollHeight
  if (framesLeft > 0) requestAnimationFrame(() => goToEnd(scroller, key, framesLeft - 1))
}
