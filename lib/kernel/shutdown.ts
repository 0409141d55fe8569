import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'
import { type Listed, SwapRemoveList } from '@/lib/kernel/swap-remove-list'

export type Running = Listed & { end: () => void }

type Shutdown = {
  signal: AbortSignal
  /** Readiness is off and the listener closed; running work goes on until `signal` fires. */
  isDraining: boolean
  /**
   * Notified when `signal` fires. A list of our own, since an AbortSignal searches all listeners on each add and
   * remove.
   */
  readonly running: SwapRemoveList<Running>
  stop: () => void
}

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
