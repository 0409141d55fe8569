export const TIMED_OUT = Symbol('silent')

export type IdleTimeout = {
  /** The value, or `SILENT` when the patience ended before it came. The value is still on its way then. */
  race<T>(value: Promise<T>): Promise<T | typeof TIMED_OUT>
  end(): void
}

/**
 * Waits for one promise after another with a single timer, where a timer for each would cost more than what is waited for.
 * With `isRenewed` every wait has the whole time; without, all of them share it. One wait at a time.
 */
export function createIdleTimeout(ms: number, options: { isRenewed: boolean }): IdleTimeout {
  let expire: (() => void) | undefined
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    expire?.()
  }, ms)
  return {
    race<T>(value: Promise<T>) {
      if (options.isRenewed) {
        isOver = false
        timer.refresh()
      }
      return new Promise<T | typeof TIMED_OUT>((resolve, reject) => {
        expire = () => resolve(TIMED_OUT)
        value.then(resolve, reject)
        if (isOver) expire()
      })
    },
    end: () => clearTimeout(timer),
  }
}
