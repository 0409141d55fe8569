import 'server-only'
import { ApiError } from '@/lib/contract/errors'

/** Most items of one statement. Beyond 128 a larger batch was measured to gain little and to delay its items. */
export const MAX_BATCH = 256
export const MAX_WAITING = 10_000
const HANG_PATIENCE_MS = 1_500
const ALONE_BUDGET_MS = 5_000

export const AGAIN = Symbol('again')

export type Batcher<Request, Result> = {
  add: (request: Request) => Promise<Result>
  settled: () => Promise<void>
}

type Member<Request, Result> = {
  request: Request
  since: number
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Gathers concurrent calls into one call of `run`: those of one turn of the event loop, or until the call under way
 * returns, whichever is later. `run` answers in the order of its argument; an item without an answer fails.
 * When a batch fails through one item, the items run one by one, so that one bad row cannot fail its neighbours; an
 * `isOutage` fails them all.
 */
export function createBatcher<Request, Result>(
  run: (requests: Request[]) => Promise<(Result | typeof AGAIN | undefined)[]>,
  isOutage: (error: unknown) => boolean,
): Batcher<Request, Result> {
  let waiting: Member<Request, Result>[] = []
  let isBusy = false
  let idle: (() => void)[] = []

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH)
      waiting = waiting.slice(MAX_BATCH)
      const undecided = await runTogether(batch)
      if (undecided.length > 0) waiting = [...undecided, ...waiting]
    }
    isBusy = false
    for (const wake of idle) wake()
    idle = []
  }

  async function runTogether(batch: Member<Request, Result>[]): Promise<Member<Request, Result>[]> {
    try {
      const results = await run(batch.map((member) => member.request))
      return batch.filter((member, index) => !decide(member, results[index], batch.length === 1))
    } catch (error) {
      if (isOutage(error)) failWaiting(error)
      if (batch.length === 1 || isOutage(error)) for (const member of batch) member.reject(error)
      else await runAlone(batch, error)
      return []
    }
  }

  function failWaiting(cause: unknown): void {
    const latest = performance.now() - HANG_PATIENCE_MS
    const late = waiting.filter((member) => member.since < latest)
    waiting = waiting.filter((member) => member.since >= latest)
    for (const member of late) member.reject(cause)
  }

  async function runAlone(batch: Member<Request, Result>[], cause: unknown): Promise<void> {
    const deadline = performance.now() + ALONE_BUDGET_MS
    for (const member of batch) {
      if (performance.now() < deadline) await runTogether([member])
      else member.reject(cause)
    }
  }

  return {
    add(request) {
      if (waiting.length >= MAX_WAITING) {
        return Promise.reject(
          new ApiError('SERVICE_UNAVAILABLE', 'The service is overloaded. Try again in a few seconds.', {
            retryAfterSeconds: 5,
          }),
        )
      }
      return new Promise((resolve, reject) => {
        waiting.push({ request, since: performance.now(), resolve, reject })
        if (isBusy) return
        isBusy = true
        setImmediate(drain)
      })
    },
    settled: () => (isBusy ? new Promise((wake) => idle.push(wake)) : Promise.resolve()),
  }
}

function decide<Request, Result>(
  member: Member<Request, Result>,
  result: Result | typeof AGAIN | undefined,
  isAlone: boolean,
): boolean {
  if (result === AGAIN && !isAlone) return false
  if (result === AGAIN || result === undefined) member.reject(new Error('the database gave no answer for this row'))
  else member.resolve(result)
  return true
}

/**
 * Runs all items of one turn of the event loop together at its end, while their code is warm in the processor's caches:
 * a fifth of the CPU of a JSON-RPC call (docs/performance.md).
 *
 * @param run must not throw.
 */
export function batchPerTick<T>(run: (item: T) => void): (item: T) => void {
  let waiting: T[] = []
  const runAll = () => {
    const items = waiting
    waiting = []
    for (const item of items) run(item)
  }
  return (item) => {
    if (waiting.push(item) === 1) setImmediate(runAll)
  }
}
