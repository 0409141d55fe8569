import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'
import { type Listed, SwapRemoveList } from '@/lib/kernel/swap-remove-list'

/** Work under way, which can be told to end. */
export type Running = Listed & { end: () => void }

type Shutdown = {
  /** Fires when running work must end now: a stream that has begun ends with one error event. */
  signal: AbortSignal
  /** No new work is taken: readiness is off and the listener is closed. Running work goes on until `signal` fires. */
  isDraining: boolean
  /** To be told when `signal` fires, which itself would look through all its listeners whenever one comes or goes. */
  readonly running: SwapRemoveList<Running>
  stop: () => void
}

/** How far the end of this process has come. Two bundles share it, so it lives on the process. */
export function shutdown(): Shutdown {
  return perProcess('shutdown', createShutdown)
}

function createShutdown(): Shutdown {
  const controller = new AbortController()
  const running = new SwapRemoveList<Running>()
  return {
    signal: controller.signal,
    isDraining: false,
    running,
    stop() {
      if (controller.signal.aborted) return
      controller.abort(new Error('the server is stopping'))
      for (const work of running) work.end()
    },
  }
}
