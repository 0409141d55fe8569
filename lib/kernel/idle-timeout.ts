export const TIMED_OUT = Symbol('silent')

export type IdleTimeout = {
  race<T>(value: Promise<T>): Promise<T | typeof TIMED_OUT>
  end(): void
}

/**
 * Races promises, one after another, against a single timer, which is cheaper than a timer for each. With `isRenewed`
 * every race has the whole time; otherwise all share it.
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
