import { rpcDb, type SavedCall } from '@/components/rpc/store'
import { uuid } from '@/lib/contract/ids'

export const MAX_SAVED = 1_000
export const MAX_NAME_CHARS = 120
export const MAX_FOLDER_CHARS = 80

/** What is shown, by collection and place: first what is in none. */
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

/** Puts a saved call at the end of another collection. */
export function moveSaved(id: string, folder: string): Promise<void> {
  return rpcDb.transaction('rw', rpcDb.saved, async () => {
    const there = await rpcDb.saved.where({ folder }).toArray()
    const order = Math.max(0, ...there.map((call) => call.order)) + 1
    await rpcDb.saved.update(id, { folder, order, updatedAt: Date.now() })
  })
}

/** Moves a saved call one place up or down within its collection. */
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

/** Removes what was deleted before `until`. */
export async function purgeSaved(until: number): Promise<void> {
  await rpcDb.saved.filter(({ deletedAt }) => deletedAt !== undefined && deletedAt <= until).delete()
}

/** Gives a collection another name; one of that name takes it in. */
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
