import { Dexie, type EntityTable } from 'dexie'
import type { RpcCallDraft } from '@/components/rpc/client'
import { noteDatabase } from '@/lib/browser/storage/feature-databases'
import type { RpcSlug } from '@/lib/contract/rpc-slugs'

/** How a run ended. `mixed`: a batch with results and errors. `refused`: the service said no. `failed`: no answer came. */
export type RunOutcome = 'result' | 'error' | 'mixed' | 'refused' | 'failed'

/** One run, as the list shows it. Times are Unix milliseconds everywhere in this file. */
export type RpcRun = {
  id: string
  at: number
  network: RpcSlug
  methods: readonly string[]
  isBatch: boolean
  /** What a search looks at: network, methods and the beginning of the parameters, in lower case. */
  words: string
  outcome: RunOutcome
  /** HTTP; 0 when no answer came. */
  status: number
  ms: number
  bytes: number
  credits?: number
  costUsd?: number
  requestId?: string
}

/** What was sent and what came back. Kept apart, so that a list of runs does not read megabytes. */
export type RpcRunBody = {
  id: string
  calls: readonly RpcCallDraft[]
  /** Left out when it was too large to keep. */
  text?: string
  headers: [name: string, value: string][]
  isReplayed: boolean
  failure?: { code: string; message: string }
}

/** A call, or a batch, that a person gave a name. */
export type SavedCall = {
  id: string
  name: string
  /** The collection it is in; `''` for none. A collection is there as long as something is in it. */
  folder: string
  /** Its place in the collection, from the top; gaps are fine. */
  order: number
  network: RpcSlug
  calls: readonly RpcCallDraft[]
  isBatch: boolean
  createdAt: number
  updatedAt: number
  /** Set while a deletion can still be undone. */
  deletedAt?: number
}

/** What the playground keeps on this device. Other tabs follow by live queries. */
class RpcDatabase extends Dexie {
  declare runs: EntityTable<RpcRun, 'id'>
  declare bodies: EntityTable<RpcRunBody, 'id'>
  declare saved: EntityTable<SavedCall, 'id'>

  constructor() {
    super('lagoon-rpc')
    this.version(1).stores({ runs: 'id, at', bodies: 'id', saved: 'id, folder' })
  }
}

export const rpcDb = new RpcDatabase()
noteDatabase(rpcDb)
