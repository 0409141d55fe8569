export const SILENT = Symbol('silent')

export type Patience = {
  /** The value, or `SILENT` when the patience ended before it came. The value is still on its way then. */
  wait<T>(value: Promise<T>): Promise<T | typeof SILENT>
  end(): void
}

/**
 * Waits for one promise after another with a single timer, where a timer for each would cost more than what is waited for.
 * With `isRenewed` every wait has the whole time; without, all of them share it. One wait at a time.
 */
export function createPatience(ms: number, options: { isRenewed: boolean }): Patience {
  let expire: (() => void) | undefined
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    expire?.()
  }, ms)
  return {
    wait<T>(value: Promise<T>) {
      if (options.isRenewed) {
        isOver = false
        timer.refresh()
      }
      return new Promise<T | typeof SILENT>((resolve, reject) => {
        expire = () => resolve(SILENT)
        value.then(resolve, reject)
        if (isOver) expire()
      })
    },
    end: () => clearTimeout(timer),
  }
}
