'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import type { ReactNode } from 'react'
import type { Turn } from '@/lib/client/thread'

/** A guess for turns that were never on screen, in pixels. */
const TYPICAL_HEIGHT = 160
const OVERSCAN = 3

type VirtualTurnsProps = {
  /** Where the list opens, in pixels from its top, so that turns elsewhere are not drawn first. */
  startsAt: number | 'end'
  scroller: HTMLElement
  turns: Turn[]
  draw: (turn: Turn, index: number) => ReactNode
}

/** The turns of a long chat: only those near the screen are in the document. */
export function VirtualTurns({ startsAt, scroller, turns, draw }: VirtualTurnsProps) {
  const virtualizer = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller,
    estimateSize: () => TYPICAL_HEIGHT,
    initialOffset: () => (startsAt === 'end' ? turns.length * TYPICAL_HEIGHT : startsAt),
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
