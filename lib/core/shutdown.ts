import 'server-only'

import { perProcess } from '@/lib/core/per-process'

type Shutdown = {
  /** Fires when running work must end now: a stream that has begun ends with one error event. */
  signal: AbortSignal
  /** No new work is taken: readiness is off and the listener is closed. Running work goes on until `signal` fires. */
  isDraining: boolean
  stop: () => void
}

/** How far the end of this process has come. Two bundles share it, so it lives on the process. */
export function shutdown(): Shutdown {
  return perProcess('shutdown', createShutdown)
}

function createShutdown(): Shutdown {
  const controller = new AbortController()
  return {
    signal: controller.signal,
    isDraining: false,
    stop: () => controller.abort(new Error('the server is stopping')),
  }
}
