'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { CharacterCard, idOf, type Shown } from '@/components/characters/character-card'
import { t } from '@/lib/i18n/t'

const MIN_CARD_PX = 156
const GAP_PX = 20
const TEXT_PX = 132
const OVERSCAN = 3
const AHEAD = 4
const EAGER_ROWS = 2

type CharacterGridProps = {
  shown: Shown[]
  scroller: RefObject<HTMLElement | null>
  isStarred: (id: string) => boolean
  onStar: (id: string) => void
  onOpenLocal: (id: string) => void
  onNearEnd: () => void
}

/** Draws only the rows near the window; arrows move among the cards, Tab enters and leaves. */
export function CharacterGrid({ shown, scroller, isStarred, onStar, onOpenLocal, onNearEnd }: CharacterGridProps) {
  const grid = useRef<HTMLDivElement>(null)
  const { columns, width, top } = usePlace(grid)
  const [wanted, setWanted] = useState(0)
  const active = Math.min(wanted, shown.length - 1)
  const rowCount = Math.ceil(shown.length / columns)
  const virtual = useVirtualizer({
    count: rowCount,
    getScrollElement: () => scroller.current,
    estimateSize: () => width + TEXT_PX,
    overscan: OVERSCAN,
    scrollMargin: top,
    initialOffset: () => scroller.current?.scrollTop ?? 0,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another width have another height
  useEffect(() => virtual.measure(), [virtual, width])
  const rows = virtual.getVirtualItems()
  const isNearEnd = (rows.at(-1)?.index ?? 0) >= rowCount - AHEAD
  useEffect(() => {
    if (isNearEnd) onNearEnd()
  }, [isNearEnd, onNearEnd])

  const goesTo = useRef<number>(undefined)
  // The card may only be drawn after the scrolling that brings it near.
  useEffect(() => {
    const at = goesTo.current
    if (at === undefined) return
    const card = grid.current?.querySelector<HTMLElement>(`[data-at="${at}"] [data-card]`)
    if (!card) return
    goesTo.current = undefined
    card.focus({ preventScroll: true })
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const isRtl = getComputedStyle(event.currentTarget).direction === 'rtl'
    const to = stepOf(event.key, { at: active, count: shown.length, columns, isRtl })
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    goesTo.current = to
    setWanted(to)
    virtual.scrollToIndex(Math.floor(to / columns), { align: 'auto' })
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table has no rows that come and go
    <div
      ref={grid}
      role="grid"
      aria-label={t('Characters')}
      aria-rowcount={rowCount}
      aria-colcount={columns}
      onKeyDown={onKeyDown}
      className="relative"
      style={{ height: `${virtual.getTotalSize()}px` }}
    >
      {rows.map(({ index, start, key }) => (
        // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: rows of the grid come and go with the scroll, which no table has
        <div
          key={key}
          ref={virtual.measureElement}
          data-index={index}
          role="row"
          aria-rowindex={index + 1}
          className="absolute inset-x-0 top-0 grid pb-6"
          style={{
            transform: `translateY(${start - top}px)`,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            columnGap: GAP_PX,
          }}
        >
          {shown.slice(index * columns, (index + 1) * columns).map((one, column) => {
            const at = index * columns + column
            return (
              // biome-ignore lint/a11y/useSemanticElements lint/a11y/useFocusableInteractive: a cell of a grid without a table; what stands in it has the focus
              <div
                key={idOf(one)}
                role="gridcell"
                aria-colindex={column + 1}
                data-at={at}
                onFocus={() => setWanted(at)}
              >
                <CharacterCard
                  shown={one}
                  isStarred={isStarred(idOf(one))}
                  isActive={at === active}
                  isEager={index < EAGER_ROWS}
                  onStar={onStar}
                  onOpenLocal={onOpenLocal}
                />
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}

function usePlace(grid: RefObject<HTMLElement | null>) {
  const [place, setPlace] = useState({ columns: 2, width: MIN_CARD_PX, top: 0 })
  useLayoutEffect(() => {
    const element = grid.current
    if (!element) return
    const measure = () => {
      const available = element.clientWidth
      const columns = Math.max(2, Math.floor((available + GAP_PX) / (MIN_CARD_PX + GAP_PX)))
      const width = Math.floor((available - GAP_PX * (columns - 1)) / columns)
      const top = element.offsetTop
      setPlace((known) =>
        known.columns === columns && known.width === width && known.top === top ? known : { columns, width, top },
      )
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    // What stands above it may change its height without the grid changing its own.
    if (element.parentElement) observer.observe(element.parentElement)
    return () => observer.disconnect()
  }, [grid])
  return place
}

const PAGE_ROWS = 3

type GridPlace = { at: number; count: number; columns: number; isRtl: boolean }

export function stepOf(key: string, { at, count, columns, isRtl }: GridPlace): number | undefined {
  const forward = isRtl ? -1 : 1
  const steps: Record<string, number> = {
    ArrowRight: forward,
    ArrowLeft: -forward,
    ArrowDown: columns,
    ArrowUp: -columns,
    PageDown: columns * PAGE_ROWS,
    PageUp: -columns * PAGE_ROWS,
  }
  if (count === 0) return undefined
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  const step = steps[key]
  if (step === undefined) return undefined
  const to = at + step
  // Down from the last full row leads to the last card, not away.
  if (to >= count) return step === 1 || at === count - 1 ? at : lastBelow(at, count, columns)
  return to < 0 ? (step === -1 ? 0 : at % columns) : to
}

function lastBelow(at: number, count: number, columns: number): number {
  const lastRow = Math.floor((count - 1) / columns)
  return Math.floor(at / columns) < lastRow ? count - 1 : at
}
