import { Dexie } from 'dexie'
import { type Charge, type LearnOptions, learnCharge } from '@/lib/browser/charge'
import { refreshMoney } from '@/lib/browser/queries'
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

// Newest results that tell how long work of a model usually takes.
const TIMED = 20

export async function listGenerations(kind: GenerationKind, max: number): Promise<Generation[]> {
  return await ofKind(kind)
    .reverse()
    .filter(({ deletedAt }) => deletedAt === undefined)
    .limit(max)
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

/** Lists all that have not ended or have no price yet, also deleted ones: each was paid for. */
export async function listOpen(): Promise<Generation[]> {
  return await db.creations.filter((one) => isUnderWay(one) || one.request !== undefined).toArray()
}

/** `request` is known before it is sent, so that its price is found whatever happens. */
export function newGeneration(draft: CreationDraft, request?: UnpricedRequest, now = Date.now()): Generation {
  return { ...draft, id: uuid(), state: 'running', createdAt: now, startedAt: now, results: [], request }
}

export async function addGeneration(generation: Generation, replacesId?: string): Promise<void> {
  await db.transaction('rw', db.creations, async () => {
    await db.creations.add(generation)
    if (replacesId !== undefined) await deleteGeneration(replacesId, generation.createdAt)
  })
}

/** `undefined` removes a field. */
export type GenerationChanges = { [Name in keyof Omit<Generation, 'id' | 'kind'>]?: Generation[Name] | undefined }

/**
 * Changes a generation, unless it is gone. False where it was not changed. @param only in these states: another tab may
 * have ended it.
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

/** Stores what a generation cost, once, and counts it towards the cap of its day. */
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

export async function keepFile(data: Blob, facts: FileFacts & { mediaType?: string }): Promise<CreationFile> {
  const hash = await keepBlob('', data)
  return { id: uuid(), hash, size: data.size, mediaType: data.type, ...facts }
}

/** Hides a generation; it can be restored until it is purged. */
export async function deleteGeneration(id: string, now = Date.now()): Promise<void> {
  await db.creations.update(id, { deletedAt: now })
}

export async function restoreGeneration(id: string): Promise<void> {
  await db.creations.update(id, { deletedAt: undefined })
}

/** Deletes for good what was hidden before then; unreferenced bytes follow. What is open stays until it ends. */
export async function purgeGenerations(before: number): Promise<void> {
  await db.creations
    .filter((one) => one.deletedAt !== undefined && one.deletedAt <= before && !isUnderWay(one) && !one.request)
    .delete()
}

/** Median of earlier work of this kind and model; undefined before the first. */
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

// Results that this browser had no room for, under names that no hash has.
const held = new Map<string, Blob>()
const UNSAVED = 'unkept-'

/** Keeps the bytes of a result. It was paid for: where the browser has no room, it lasts as long as the page. */
export async function keepResult(data: Blob, facts: FileFacts): Promise<CreationFile> {
  try {
    return await keepFile(data, facts)
  } catch {
    return holdUnsaved(data, facts)
  }
}

function holdUnsaved(data: Blob, facts: FileFacts): CreationFile {
  const hash = UNSAVED + uuid()
  held.set(hash, data)
  return { id: uuid(), hash, size: data.size, mediaType: data.type, ...facts }
}

export const isUnsaved = ({ hash }: Pick<CreationFile, 'hash'>): boolean => hash.startsWith(UNSAVED)

/** Loads the bytes of a file; undefined when they are gone from this browser. */
export async function loadFile({
  hash,
  mediaType,
}: Pick<CreationFile, 'hash' | 'mediaType'>): Promise<Blob | undefined> {
  const blob = held.get(hash) ?? (await loadBlob(hash))
  // Read again as what it is, whatever the database says of it.
  return blob && (blob.type === mediaType ? blob : blob.slice(0, blob.size, mediaType))
}

/** Learns what a request cost. The next visit asks again for what is not learnt now. */
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

/** Its `job` stays until the service was told to release the result. */
export type QueuedGeneration = Generation & { job: CreationJob }

export const isQueued = (generation: Generation): generation is QueuedGeneration => generation.job !== undefined

/** Lists generations whose job is not released, oldest first. */
export async function listJobs(): Promise<QueuedGeneration[]> {
  const found = await db.creations.where('job.id').above('').toArray()
  return found.filter(isQueued).toSorted((one, other) => one.createdAt - other.createdAt)
}

/** Held while a tab asks after a job or ends it. */
export const jobLockOf = (id: string): string => `job:${id}`

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'video/quicktime': 'mov',
  'text/plain': 'txt',
}

/** @example extensionOf('image/webp') // "webp" */
export function extensionOf(mediaType: string): string {
  const bare = mediaType.split(';')[0] ?? ''
  return EXTENSIONS[bare] ?? /\/(?:x-)?([a-z0-9]{1,8})$/.exec(bare)?.[1] ?? 'bin'
}
