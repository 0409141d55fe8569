'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import type { ReactNode, RefObject } from 'react'
import type { Turn } from '@/lib/client/thread'

/** A guess for turns that were never on screen, in pixels. */
const TYPICAL_HEIGHT = 160
const OVERSCAN = 6

type VirtualTurnsProps = {
  scroller: RefObject<HTMLElement | null>
  turns: Turn[]
  draw: (turn: Turn, index: number) => ReactNode
}

/** The turns of a long chat: only those near the screen are in the document. */
export function VirtualTurns({ scroller, turns, draw }: VirtualTurnsProps) {
  const virtualizer = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => TYPICAL_HEIGHT,
    getItemKey: (index) => turns[index]?.id ?? index,
    overscan: OVERSCAN,
    // The end stays where it is while heights above it become known.
    anchorTo: 'end',
  })
  return (
    <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map(({ index, key, start }) => {
        const turn = turns[index]
        if (!turn) return null
        return (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${start}px)` }}
          >
            {draw(turn, index)}
          </div>
        )
      })}
    </div>
  )
}
