import 'server-only'

/** What a node is asked. */
export type Question = {
  body: Buffer
  isBatch: boolean
  /** Of each call, as JSON text; nothing for one that asks for no reply. */
  ids: readonly (string | undefined)[]
  /** Makes the node work: such calls have patience of their own. */
  isHeavy: boolean
}
