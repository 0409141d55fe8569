import { Dexie } from 'dexie'
import { keepBlob } from '@/lib/browser/storage/blobs'
import { db } from '@/lib/browser/storage/database'
import {
  type CreationDraft,
  type CreationFile,
  type Generation,
  type GenerationKind,
  type GenerationTask,
  isUnderWay,
} from '@/lib/browser/storage/generations'
import type { UnpricedRequest } from '@/lib/browser/storage/records'
import { addSpending } from '@/lib/browser/storage/spending'
import { uuid } from '@/lib/contract/ids'
import type { Usd } from '@/lib/contract/money'

/** Of the newest that are done: how long work of a model usually takes. */
const TIMED = 20

/** What was made of a kind, newest first. */
export async function listCreations(kind: GenerationKind, most = Number.POSITIVE_INFINITY): Promise<Generation[]> {
  return await ofKind(kind)
    .reverse()
    .filter(({ deletedAt }) => deletedAt === undefined)
    .limit(most)
    .toArray()
}

export async function countCreations(kind: GenerationKind): Promise<number> {
  return await ofKind(kind)
    .filter(({ deletedAt }) => deletedAt === undefined)
    .count()
}

export function loadCreation(id: string): Promise<Generation | undefined> {
  return db.creations.get(id)
}

/** All that are not at their end, or have no price yet, also those that were deleted: each was paid for. */
export async function listOpen(): Promise<Generation[]> {
  return await db.creations.filter((one) => isUnderWay(one) || one.request !== undefined).toArray()
}

/** What is about to be made. `request` is known before it is sent, so that its price is found whatever happens. */
export function newCreation(draft: CreationDraft, request?: UnpricedRequest, now = Date.now()): Generation {
  return {
    ...draft,
    id: uuid(),
    state: 'running',
    createdAt: now,
    startedAt: now,
    results: [],
    ...(request && { request }),
  }
}

/** Puts it on the wall; what it is tried again for leaves it in the same moment. */
export async function addCreation(creation: Generation, replacesId?: string): Promise<void> {
  await db.transaction('rw', db.creations, async () => {
    await db.creations.add(creation)
    if (replacesId !== undefined) await deleteCreations([replacesId], creation.createdAt)
  })
}

/** What of a creation changes; `undefined` takes a field out. */
export type CreationChanges = { [Name in keyof Omit<Generation, 'id' | 'kind'>]?: Generation[Name] | undefined }

/**
 * Changes a creation. Nothing happens to one that is gone.
 *
 * @param only in these states: another tab may have ended it. False where it was not changed.
 */
export async function changeCreation(
  id: string,
  changes: CreationChanges,
  only?: readonly Generation['state'][],
): Promise<boolean> {
  return await db.transaction('rw', db.creations, async () => {
    const known = await db.creations.get(id)
    if (!known || (only && !only.includes(known.state))) return false
    const next = Object.fromEntries(Object.entries({ ...known, ...changes }).filter(([, value]) => value !== undefined))
    await db.creations.put(next as Generation)
    return true
  })
}

/** Keeps what a creation cost, once, whoever learnt it, and counts it towards the cap of its day. */
export async function priceCreation(id: string, cost: Usd, at = Date.now()): Promise<void> {
  await db.transaction('rw', db.creations, db.spending, async () => {
    const known = await db.creations.get(id)
    if (!known || known.cost !== undefined) return
    const { request: _, ...rest } = known
    await db.creations.put({ ...rest, cost })
    await addSpending({ at, cost })
  })
}

/** Keeps the bytes of a file, and says what a creation knows them by. */
export async function keepFile(
  data: Blob,
  facts: Pick<CreationFile, 'name'> & Partial<Pick<CreationFile, 'mediaType' | 'width' | 'height' | 'durationMs'>>,
): Promise<CreationFile> {
  const hash = await keepBlob('', data)
  return { id: uuid(), hash, size: data.size, mediaType: data.type, ...facts }
}

/** Takes creations off the wall. They can be brought back until they are purged. */
export async function deleteCreations(ids: readonly string[], now = Date.now()): Promise<void> {
  await db.creations.where('id').anyOf(ids).modify({ deletedAt: now })
}

export async function restoreCreations(ids: readonly string[]): Promise<void> {
  await db.creations
    .where('id')
    .anyOf(ids)
    .modify((creation) => {
      delete creation.deletedAt
    })
}

/** Removes what was deleted before then for good; the bytes follow when nothing else has them. What is open stays until it ends. */
export async function purgeCreations(before: number): Promise<void> {
  await db.creations
    .filter((one) => one.deletedAt !== undefined && one.deletedAt <= before && !isUnderWay(one) && !one.request)
    .delete()
}

/** How long work of this kind and model usually takes, by what was made here; nothing before the first. */
export async function typicalMs(
  kind: GenerationKind,
  task: GenerationTask,
  modelId: string,
): Promise<number | undefined> {
  const ended = await ofKind(kind)
    .reverse()
    .filter((one) => one.task === task && one.modelId === modelId && one.state === 'done')
    .limit(TIMED)
    .toArray()
  const took = ended
    .flatMap(({ startedAt, endedAt }) =>
      startedAt !== undefined && endedAt !== undefined ? [endedAt - startedAt] : [],
    )
    .sort((a, b) => a - b)
  return took[Math.floor(took.length / 2)]
}

const ofKind = (kind: GenerationKind) =>
  db.creations.where('[kind+createdAt]').between([kind, Dexie.minKey], [kind, Dexie.maxKey])
