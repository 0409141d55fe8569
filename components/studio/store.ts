import { Dexie } from 'dexie'
import { type Charge, type LearnOptions, learnCharge } from '@/lib/browser/charge'
import { refreshMoney } from '@/lib/browser/refresh-money'
import { keepBlob, loadBlob } from '@/lib/browser/storage/blobs'
import { db } from '@/lib/browser/storage/database'
import {
  type CreationDraft,
  type CreationFile,
  type CreationJob,
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
export async function listGenerations(kind: GenerationKind, most = Number.POSITIVE_INFINITY): Promise<Generation[]> {
  return await ofKind(kind)
    .reverse()
    .filter(({ deletedAt }) => deletedAt === undefined)
    .limit(most)
    .toArray()
}

export async function countGenerations(kind: GenerationKind): Promise<number> {
  return await ofKind(kind)
    .filter(({ deletedAt }) => deletedAt === undefined)
    .count()
}

export function loadGeneration(id: string): Promise<Generation | undefined> {
  return db.creations.get(id)
}

/** All that are not at their end, or have no price yet, also those that were deleted: each was paid for. */
export async function listOpen(): Promise<Generation[]> {
  return await db.creations.filter((one) => isUnderWay(one) || one.request !== undefined).toArray()
}

/** What is about to be made. `request` is known before it is sent, so that its price is found whatever happens. */
export function newGeneration(draft: CreationDraft, request?: UnpricedRequest, now = Date.now()): Generation {
  return {
    ...draft,
    id: uuid(),
    state: 'running',
    createdAt: now,
    startedAt: now,
    results: [],
    request,
  }
}

/** Puts it on the wall; what it is tried again for leaves it in the same moment. */
export async function addGeneration(generation: Generation, replacesId?: string): Promise<void> {
  await db.transaction('rw', db.creations, async () => {
    await db.creations.add(generation)
    if (replacesId !== undefined) await deleteGenerations([replacesId], generation.createdAt)
  })
}

/** What of a generation changes; `undefined` takes a field out. */
export type GenerationChanges = { [Name in keyof Omit<Generation, 'id' | 'kind'>]?: Generation[Name] | undefined }

/**
 * Changes a generation. Nothing happens to one that is gone.
 *
 * @param only in these states: another tab may have ended it. False where it was not changed.
 */
export async function changeGeneration(
  id: string,
  changes: GenerationChanges,
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

/** Keeps what a generation cost, once, whoever learnt it, and counts it towards the cap of its day. */
export async function priceGeneration(id: string, cost: Usd, at = Date.now()): Promise<void> {
  await db.transaction('rw', db.creations, db.spending, async () => {
    const known = await db.creations.get(id)
    if (!known || known.cost !== undefined) return
    const { request: _, ...rest } = known
    await db.creations.put({ ...rest, cost })
    await addSpending({ at, cost })
  })
}

type FileFacts = Pick<CreationFile, 'name' | 'width' | 'height' | 'durationMs'>

/** Keeps the bytes of a file, and says what a generation knows them by. */
export async function keepFile(data: Blob, facts: FileFacts & { mediaType?: string }): Promise<CreationFile> {
  const hash = await keepBlob('', data)
  return { id: uuid(), hash, size: data.size, mediaType: data.type, ...facts }
}

/** Takes generations off the wall. They can be brought back until they are purged. */
export async function deleteGenerations(ids: readonly string[], now = Date.now()): Promise<void> {
  await db.creations.where('id').anyOf(ids).modify({ deletedAt: now })
}

export async function restoreGenerations(ids: readonly string[]): Promise<void> {
  await db.creations
    .where('id')
    .anyOf(ids)
    .modify((generation) => {
      delete generation.deletedAt
    })
}

/** Removes what was deleted before then for good; the bytes follow when nothing else has them. What is open stays until it ends. */
export async function purgeGenerations(before: number): Promise<void> {
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

/** Results that this browser had no room for, by a name that no hash has. They last as long as the page. */
const held = new Map<string, Blob>()
const UNKEPT = 'unkept-'

/** Keeps the bytes of a result. It was paid for: where the browser has no room, it lasts as long as the page. */
export async function keepResult(data: Blob, facts: FileFacts): Promise<CreationFile> {
  try {
    return await keepFile(data, facts)
  } catch {
    return holdUnkept(data, facts)
  }
}

function holdUnkept(data: Blob, facts: FileFacts): CreationFile {
  const hash = UNKEPT + uuid()
  held.set(hash, data)
  return { id: uuid(), hash, size: data.size, mediaType: data.type, ...facts }
}

export const isUnkept = ({ hash }: Pick<CreationFile, 'hash'>): boolean => hash.startsWith(UNKEPT)

/** The bytes of a file of a generation; nothing when they are gone from this browser. */
export async function loadFile({
  hash,
  mediaType,
}: Pick<CreationFile, 'hash' | 'mediaType'>): Promise<Blob | undefined> {
  const blob = held.get(hash) ?? (await loadBlob(hash))
  // Read again as what it is, whatever the database says of it.
  return blob && (blob.type === mediaType ? blob : blob.slice(0, blob.size, mediaType))
}

/** Learns what the request of a generation cost. What is not learnt now is asked for when the studio is opened next. */
export async function learnCost(
  { id, request }: Pick<Generation, 'id' | 'request'>,
  options: LearnOptions = {},
): Promise<void> {
  if (!request) return
  const keep = async ({ cost }: Charge) => {
    await priceGeneration(id, cost, request.at)
    refreshMoney()
  }
  await learnCharge(request, keep, options)
}

/** A generation that the queue knows of. Its `job` stays until the service was told that its result is not needed there. */
export type QueuedGeneration = Generation & { job: CreationJob }

export const isQueued = (generation: Generation): generation is QueuedGeneration => generation.job !== undefined

/** All generations whose job is not let go of, oldest first. */
export async function listJobs(): Promise<QueuedGeneration[]> {
  const found = await db.creations.where('job.id').above('').toArray()
  return found.filter(isQueued).toSorted((one, other) => one.createdAt - other.createdAt)
}

/** Held while somebody asks after a job or ends it: one tab at a time does. */
export const jobLockOf = (id: string): string => `job:${id}`
