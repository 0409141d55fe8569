import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'

type Position = () => number | undefined

const waiting = () => perProcess('queue-positions', () => new Map<string, Position>())

/** Names a request for `ChatRequest.requestName`, so that an account learns of its own requests only. */
export const nameOfRequest = ({ accountId, requestId }: { accountId: string; requestId: string }): string =>
  `${accountId}/${requestId}`

/** Lets the position of a request be asked for by its name, until the returned function is called. */
export function followPosition(name: string | undefined, position: Position): () => void {
  const positions = waiting()
  if (name === undefined) return () => undefined
  positions.set(name, position)
  return () => {
    // Another request may have got the same name meanwhile.
    if (positions.get(name) === position) positions.delete(name)
  }
}

/** Tells the place in line of a request, from 1. Undefined when it does not wait, or waits in another process. */
export const queuePosition = (name: string): number | undefined => waiting().get(name)?.()
