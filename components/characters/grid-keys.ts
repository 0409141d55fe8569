/** Rows that Page Up and Page Down go over. */
const PAGE_ROWS = 3

type GridPlace = { at: number; count: number; columns: number; isRtl: boolean }

/** Where a key leads in a grid that is read row by row; nothing for a key that leads nowhere. */
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

/** The last card, when there is a row below; else the card itself. */
function lastBelow(at: number, count: number, columns: number): number {
  const lastRow = Math.floor((count - 1) / columns)
  return Math.floor(at / columns) < lastRow ? count - 1 : at
}
