/** Provides `navigator.locks`, which happy-dom lacks. A request for a held lock gets none, as with `ifAvailable`. */
export function provideLocks(): void {
  const held = new Set<string>()
  const request = async (name: string, ...rest: unknown[]): Promise<unknown> => {
    const work = rest.at(-1)
    if (typeof work !== 'function') throw new TypeError(`No work for the lock ${name}`)
    if (held.has(name)) return await work(null)
    held.add(name)
    try {
      return await work({ name })
    } finally {
      held.delete(name)
    }
  }
  Object.defineProperty(navigator, 'locks', { configurable: true, value: { request } })
}
