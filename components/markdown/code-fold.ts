import { type RefCallback, type RefObject, use, useCallback, useMemo, useState } from 'react'
import { OpenText, UNFOLD_EVENT } from '@/components/markdown/streaming-context'

const MAX_LINES = 40
export const SHOWN_LINES = 24

export type Fold = {
  count: number | undefined
  isFolded: boolean
  toggle: () => void
  rest: RefCallback<HTMLElement>
}

export const UNFOLDED: Fold = { count: undefined, isFolded: false, toggle: () => undefined, rest: () => undefined }

/**
 * Folds long code of a finished answer. Code that was written while this page looked on stays open. Browsers that can
 * find text in folded code unfold it.
 */
export function useFold(code: string, frame: RefObject<HTMLElement | null>): Fold {
  const isWritten = use(OpenText)
  const [isOpened, setIsOpened] = useState(isWritten)
  const lines = useMemo(() => countLines(code), [code])
  const isLong = !isWritten && lines > MAX_LINES
  const isFolded = isLong && !isOpened
  // React knows `hidden` as yes or no only, so that it is set by hand, before the first paint. For browsers that do not
  // know `until-found` the style sheet hides it.
  const rest = useCallback(
    (element: HTMLElement | null) => {
      if (!element || !isFolded) return
      const open = () => {
        tellUnfolding(element)
        setIsOpened(true)
      }
      element.setAttribute('hidden', 'until-found')
      element.addEventListener('beforematch', open)
      return () => {
        element.removeAttribute('hidden')
        element.removeEventListener('beforematch', open)
      }
    },
    [isFolded],
  )
  const toggle = () => {
    if (isFolded) tellUnfolding(frame.current)
    setIsOpened(isFolded)
  }
  return { count: isLong ? lines : undefined, isFolded, toggle, rest }
}

const tellUnfolding = (element: HTMLElement | null) =>
  element?.dispatchEvent(new Event(UNFOLD_EVENT, { bubbles: true }))

export function countLines(code: string): number {
  let count = 1
  for (let at = code.indexOf('\n'); at !== -1 && at < code.length - 1; at = code.indexOf('\n', at + 1)) count += 1
  return count
}

export function endOfLine(code: string, lines: number): number {
  let at = -1
  for (let line = 0; line < lines; line++) {
    at = code.indexOf('\n', at + 1)
    if (at === -1) return code.length
  }
  return at + 1
}
