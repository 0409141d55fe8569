import 'server-only'
import type { NodeCall } from '@/lib/services/rpc-nodes/node-call'
import type { Outcome } from '@/lib/services/rpc-nodes/node-outcome'

/** What a node is asked. */
export type Question = {
  body: Buffer
  isBatch: boolean
  /** Of each call, as JSON text; nothing for one that asks for no reply. */
  ids: readonly (string | undefined)[]
  /** Makes the node work: such calls have patience of their own. */
  isHeavy: boolean
}

export type CallListener = {
  /**
   * It has not begun to answer in the time that it usually takes, or its answer drips. Said once, and only where
   * `patienceMs` was given.
   */
  onLate(call: NodeCall): void
  /** Said once, unless the call was dropped. */
  onEnd(call: NodeCall, outcome: Outcome): void
}
