import { Dexie, type EntityTable } from 'dexie'
import type { RpcCallDraft } from '@/components/rpc/client'
import { noteDatabase } from '@/lib/browser/storage/database'
import { uuid } from '@/lib/contract/ids'
import type { RpcSlug } from '@/lib/contract/rpc'

/** `mixed`: a batch with results and errors. `refused`: by the service. `failed`: no answer came. */
export type RunOutcome = 'result' | 'error' | 'mixed' | 'refused' | 'failed'

/** Times are Unix milliseconds everywhere in this file. */
export type RpcRun = {
  id: string
  at: number
  network: RpcSlug
  methods: readonly string[]
  isBatch: boolean
  /** Searched text: network, methods and the beginning of the parameters, in lower case. */
  words: string
  outcome: RunOutcome
  status: number
  ms: number
  bytes: number
  credits?: number
  costUsd?: number
  requestId?: string
}

/** Request and response. Kept apart, so that a list of runs does not read megabytes. */
export type RpcRunBody = {
  id: string
  calls: readonly RpcCallDraft[]
  text?: string
  headers: [name: string, value: string][]
  isReplayed: boolean
  failure?: { code: string; message: string }
}

export type SavedCall = {
  id: string
  name: string
  /** `''` for none. A collection exists as long as something is in it. */
  folder: string
  order: number
  network: RpcSlug
  calls: readonly RpcCallDraft[]
  isBatch: boolean
  createdAt: number
  updatedAt: number
  /** Set while a deletion can still be undone. */
  deletedAt?: number
}

/** Data of the playground on this device. Other tabs follow by live queries. */
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

export const MAX_SAVED = 1_000
export const MAX_NAME_CHARS = 120
export const MAX_FOLDER_CHARS = 80

export async function listSaved(): Promise<SavedCall[]> {
  const all = await rpcDb.saved.toArray()
  return all
    .filter(({ deletedAt }) => deletedAt === undefined)
    .sort(
      (one, other) =>
        one.folder.localeCompare(other.folder) || one.order - other.order || one.createdAt - other.createdAt,
    )
}

export type NewSaved = Pick<SavedCall, 'name' | 'folder' | 'network' | 'calls' | 'isBatch'>

/** Saves calls at the end of their collections. Returns how many there was room for. */
export function addSaved(calls: readonly NewSaved[]): Promise<number> {
  return rpcDb.transaction('rw', rpcDb.saved, async () => {
    const known = await rpcDb.saved.toArray()
    const ends = new Map<string, number>()
    for (const { folder, order } of known) ends.set(folder, Math.max(ends.get(folder) ?? 0, order))
    const now = Date.now()
    const added = calls.slice(0, Math.max(0, MAX_SAVED - known.length)).map((call): SavedCall => {
      const order = (ends.get(call.folder) ?? 0) + 1
      ends.set(call.folder, order)
      return { ...call, id: uuid(), order, createdAt: now, updatedAt: now }
    })
    await rpcDb.saved.bulkAdd(added)
    return added.length
  })
}

export async function renameSaved(id: string, name: string): Promise<void> {
  await rpcDb.saved.update(id, { name, updatedAt: Date.now() })
}

export function moveSaved(id: string, folder: string): Promise<void> {
  return rpcDb.transaction('rw', rpcDb.saved, async () => {
    const there = await rpcDb.saved.where({ folder }).toArray()
    const order = Math.max(0, ...there.map((call) => call.order)) + 1
    await rpcDb.saved.update(id, { folder, order, updatedAt: Date.now() })
  })
}

export function shiftSaved(id: string, by: -1 | 1): Promise<void> {
  return rpcDb.transaction('rw', rpcDb.saved, async () => {
    const call = await rpcDb.saved.get(id)
    if (!call) return
    const shown = (await listSaved()).filter(({ folder }) => folder === call.folder)
    const at = shown.findIndex((one) => one.id === id)
    const to = at + by
    if (at === -1 || to < 0 || to >= shown.length) return
    shown.splice(to, 0, ...shown.splice(at, 1))
    await rpcDb.saved.bulkPut(shown.map((one, index) => ({ ...one, order: index + 1 })))
  })
}

/** Hides saved calls; `purgeSaved` removes them for good once the time to undo is over. */
export async function deleteSaved(ids: readonly string[]): Promise<void> {
  await rpcDb.saved.where('id').anyOf(ids).modify({ deletedAt: Date.now() })
}

export async function restoreSaved(ids: readonly string[]): Promise<void> {
  await rpcDb.saved
    .where('id')
    .anyOf(ids)
    .modify((call) => {
      delete call.deletedAt
    })
}

export async function purgeSaved(until: number): Promise<void> {
  await rpcDb.saved.filter(({ deletedAt }) => deletedAt !== undefined && deletedAt <= until).delete()
}

/** Renames a collection, or joins it with one of that name. */
export function renameFolder(from: string, to: string): Promise<void> {
  return rpcDb.transaction('rw', rpcDb.saved, async () => {
    const there = await rpcDb.saved.where({ folder: to }).toArray()
    const end = Math.max(0, ...there.map((call) => call.order))
    const updatedAt = Date.now()
    await rpcDb.saved.where({ folder: from }).modify((call) => {
      call.folder = to
      call.order += end
      call.updatedAt = updatedAt
    })
  })
}
