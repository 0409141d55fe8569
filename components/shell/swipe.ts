const MIN_STROKE_PX = 60
const MAX_STROKE_MS = 600

/**
 * Calls for each quick stroke of one finger.
 * @returns what stops it.
 * @param act is given the distance and the start, in pixels from the edge where lines begin.
 */
export function onSwipe(act: (along: number, beganAt: number) => void): () => void {
  const controller = new AbortController()
  const options = { passive: true, signal: controller.signal }
  let began: { x: number; y: number; at: number } | undefined
  document.addEventListener(
    'touchstart',
    ({ touches: [finger, second], timeStamp }) => {
      began = finger && !second ? { ...pointOf(finger), at: timeStamp } : undefined
    },
    options,
  )
  document.addEventListener(
    'touchend',
    ({ changedTouches: [finger], timeStamp }) => {
      if (!finger || !began || timeStamp - began.at > MAX_STROKE_MS) return
      const { x, y } = pointOf(finger)
      const along = x - began.x
      if (Math.abs(along) >= MIN_STROKE_PX && Math.abs(y - began.y) <= Math.abs(along) / 2) act(along, began.x)
    },
    options,
  )
  return () => controller.abort()
}

function pointOf({ clientX, clientY }: Touch): { x: number; y: number } {
  const isRightToLeft = document.documentElement.dir === 'rtl'
  return { x: isRightToLeft ? window.innerWidth - clientX : clientX, y: clientY }
}
