import { type PointerEvent, type RefObject, useEffect, useState } from 'react'

/**
 * Moves the rows of a list by pointer. The window is listened to, not the handle: a row that changes its place in the
 * document would lose the pointer it had caught.
 */
export function useReorder(list: RefObject<HTMLElement | null>, onMove: (id: string, to: number) => void) {
  const [dragged, setDragged] = useState<string>()
  useEffect(() => {
    if (dragged === undefined) return
    const follow = (event: globalThis.PointerEvent) => {
      const rows = [...(list.current?.children ?? [])]
      const others = rows.filter((row) => row.getAttribute('data-id') !== dragged)
      onMove(dragged, others.filter((row) => middleOf(row) < event.clientY).length)
    }
    const end = () => setDragged(undefined)
    window.addEventListener('pointermove', follow)
    window.addEventListener('pointerup', end)
    window.addEventListener('pointercancel', end)
    return () => {
      window.removeEventListener('pointermove', follow)
      window.removeEventListener('pointerup', end)
      window.removeEventListener('pointercancel', end)
    }
  }, [dragged, list, onMove])
  const start = (event: PointerEvent, id: string) => {
    if (event.button !== 0) return
    event.preventDefault()
    setDragged(id)
  }
  return { dragged, start }
}

function middleOf(row: Element): number {
  const { top, height } = row.getBoundingClientRect()
  return top + height / 2
}
