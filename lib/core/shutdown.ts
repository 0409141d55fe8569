import 'server-only'

import { perProcess } from '@/lib/core/per-process'

type Shutdown = {
  /** Fires when running work must end now: a stream that has begun ends with one error event. */
  signal: AbortSignal
  /** No new work is taken: readiness is off and the listener is closed. Running work goes on until `signal` fires. */
  isDraining: boolean
  /**
   * Work under way, to be told when `signal` fires. A set, because a signal looks through all its listeners whenever one
   * comes or goes.
   */
  readonly running: Set<() => void>
  stop: () => void
}

/** How far the end of this process has come. Two bundles share it, so it lives on the process. */
export function shutdown(): Shutdown {
  return perProcess('shutdown', createShutdown)
}

function createShutdown(): Shutdown {
  const controller = new AbortController()
  const running = new Set<() => void>()
  return {
    signal: controller.signal,
    isDraining: false,
    running,
    stop() {
      if (controller.signal.aborted) return
      controller.abort(new Error('the server is stopping'))
      for (const end of running) end()
    },
  }
}
