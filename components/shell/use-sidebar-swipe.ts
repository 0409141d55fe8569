import { useEffect } from 'react'
import { isNarrow } from '@/components/ui/use-narrow'

/** Where a finger has to begin to draw the sidebar in, from the edge that it comes from. Pixels. */
const EDGE_PX = 32
const LEAST_PX = 60
/** Slower than this is no swipe. */
const MOST_MS = 600

/** A finger from the edge of a narrow window opens the sidebar, one towards that edge closes it. */
export function useSidebarSwipe(isOpen: boolean, setIsOpen: (isOpen: boolean) => void): void {
  useEffect(() => {
    let began: { x: number; y: number; at: number } | undefined
    const onStart = ({ touches, timeStamp }: TouchEvent) => {
      const [finger, second] = touches
      began = finger && !second && isNarrow() ? { ...pointOf(finger), at: timeStamp } : undefined
    }
    const onEnd = ({ changedTouches, timeStamp }: TouchEvent) => {
      const [finger] = changedTouches
      if (!finger || !began || timeStamp - began.at > MOST_MS) return
      const { x, y } = pointOf(finger)
      const [along, across] = [x - began.x, Math.abs(y - began.y)]
      if (Math.abs(along) < LEAST_PX || across > Math.abs(along) / 2) return
      if (isOpen ? along < 0 : along > 0 && began.x < EDGE_PX) setIsOpen(!isOpen)
    }
    document.addEventListener('touchstart', onStart, { passive: true })
    document.addEventListener('touchend', onEnd, { passive: true })
    return () => {
      document.removeEventListener('touchstart', onStart)
      document.removeEventListener('touchend', onEnd)
    }
  }, [isOpen, setIsOpen])
}

/** From the edge where lines of words begin. */
function pointOf({ clientX, clientY }: Touch): { x: number; y: number } {
  const isRightToLeft = document.documentElement.dir === 'rtl'
  return { x: isRightToLeft ? window.innerWidth - clientX : clientX, y: clientY }
}
