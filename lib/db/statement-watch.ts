/** A statement that waits for its answer. */
type Statement = { since: number; giveUp: () => void }

export type StatementWatch = {
  /**
   * Watches a statement from now on; `giveUp` is called when it has waited for too long. What it returns ends the watch.
   */
  begin: (giveUp: () => void) => () => void
  /** How long the oldest statement under way has waited. Milliseconds; 0 when there is none. */
  oldestMs: () => number
}

/**
 * Gives up on statements after `deadlineMs`. One timer, for the oldest of them: a timer for each would cost every request
 * what one hang in a thousand hours is worth.
 */
export function createStatementWatch(deadlineMs: number): StatementWatch {
  const underWay = new Set<Statement>()
  let timer: NodeJS.Timeout | undefined

  // After a stall of our own the answers lie in their sockets: those are read before anybody is called late.
  const arm = (afterMs: number) => {
    timer = setTimeout(() => setImmediate(look), afterMs).unref()
  }

  function look(): void {
    timer = undefined
    const now = performance.now()
    for (const statement of underWay) {
      const leftMs = statement.since + deadlineMs - now
      if (leftMs > 0) {
        arm(leftMs)
        return
      }
      underWay.delete(statement)
      statement.giveUp()
    }
  }

  return {
    begin(giveUp) {
      const statement = { since: performance.now(), giveUp }
      underWay.add(statement)
      if (timer === undefined) arm(deadlineMs)
      return () => void underWay.delete(statement)
    },
    oldestMs() {
      for (const { since } of underWay) return performance.now() - since
      return 0
    },
  }
}
