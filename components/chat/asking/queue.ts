import { useEffect } from 'react'
import { create } from 'zustand'
import type { Outgoing } from '@/lib/browser/storage/draft-message'
import type { Attachment } from '@/lib/browser/storage/records'
import { isTemporary } from '@/lib/browser/storage/temporary-id'
import { isVaultOn } from '@/lib/browser/vault/flag'
import { uuid } from '@/lib/contract/ids'

/** A question that waits for the answer before it to end, or, without a connection, for one. */
export type Queued = { id: string; outgoing: Outgoing; isForOnline?: boolean }

/** `modelId`: who was chosen when it was written. */
export type Waiting = Queued & { modelId: string }

/** More waiting questions than this are not read back. */
const MAX_WAITING = 20

/** The name in local storage, and in the store: an id from the address may be any word. */
const keyOf = (chatId: string): string => `lagoon:queue:${chatId}`

const NONE: readonly Waiting[] = []

/** By chat, as far as they were read from storage. */
const useQueues = create<Partial<Record<string, readonly Waiting[]>>>(() => ({}))

/** The questions that wait in a chat, in their order. They survive a reload; those of a temporary chat do not. */
export function useQueue(chatId: string | null): readonly Queued[] {
  useEffect(() => {
    if (chatId === null) return
    waitingIn(chatId)
    // Another tab has changed what waits.
    const onStorage = ({ key }: StorageEvent) => {
      if (key === keyOf(chatId)) readQueue(chatId)
    }
    window.addEventListener('storage', onStorage)
    return () => window.removeEventListener('storage', onStorage)
  }, [chatId])
  return useQueues((queues) => (chatId === null ? undefined : queues[keyOf(chatId)])) ?? NONE
}

export function enqueue(chatId: string, outgoing: Outgoing, modelId: string, isForOnline = false): void {
  const waiting: Waiting = { id: uuid(), outgoing, modelId, ...(isForOnline && { isForOnline }) }
  put(chatId, [...waitingIn(chatId), waiting])
  if (outgoing.attachments.length > 0) void keepFiles(chatId, waiting.id, outgoing.attachments)
}

/** Takes a question out of the queue, to be written on. */
export function dequeue(chatId: string, id: string): Outgoing | undefined {
  return take(chatId, id)?.outgoing
}

/** Takes out the question of that id, or the one whose turn it is. */
export function take(chatId: string, id = waitingIn(chatId)[0]?.id): Waiting | undefined {
  const waiting = waitingIn(chatId).find((one) => one.id === id)
  if (!waiting) return undefined
  put(
    chatId,
    waitingIn(chatId).filter((one) => one !== waiting),
  )
  if (waiting.outgoing.attachments.length > 0) void dropFiles(chatId, waiting.id)
  return waiting
}

/** Puts a question back to the front: it could not be sent now. */
export function putBack(chatId: string, waiting: Waiting): void {
  put(chatId, [waiting, ...waitingIn(chatId)])
  const { attachments } = waiting.outgoing
  if (attachments.length > 0) void keepFiles(chatId, waiting.id, attachments)
}

export const waitingIn = (chatId: string): readonly Waiting[] =>
  useQueues.getState()[keyOf(chatId)] ?? readQueue(chatId)

function readQueue(chatId: string): readonly Waiting[] {
  const kept = readKept(chatId)
  useQueues.setState({ [keyOf(chatId)]: kept })
  if (kept.length > 0) void addFiles(chatId).catch(() => undefined)
  return kept
}

function put(chatId: string, queue: readonly Waiting[]): void {
  useQueues.setState({ [keyOf(chatId)]: queue })
  if (!isTemporary(chatId) && !isVaultOn()) write(chatId, queue)
}

function write(chatId: string, queue: readonly Waiting[]): void {
  const rows = queue.map(({ id, modelId, outgoing, isForOnline }) => ({
    id,
    modelId,
    text: outgoing.text,
    isForOnline,
  }))
  try {
    if (rows.length === 0) localStorage.removeItem(keyOf(chatId))
    else localStorage.setItem(keyOf(chatId), JSON.stringify(rows))
  } catch {
    // Storage is full or off: the queue then lasts as long as the page.
  }
}

/** The words as kept; their files are in the database, and come a moment later. */
function readKept(chatId: string): readonly Waiting[] {
  if (isTemporary(chatId) || isVaultOn()) return NONE
  try {
    return parseKept(localStorage.getItem(keyOf(chatId)))
  } catch {
    return NONE
  }
}

/** @throws SyntaxError when it is no JSON. */
export function parseKept(kept: string | null): Waiting[] {
  const rows: unknown = JSON.parse(kept ?? '[]')
  if (!Array.isArray(rows)) return []
  return rows.slice(0, MAX_WAITING).flatMap((row: Partial<Record<string, unknown>> | null): Waiting[] => {
    const { id, modelId, text, isForOnline } = row ?? {}
    if (typeof id !== 'string' || typeof modelId !== 'string' || typeof text !== 'string') return []
    return [{ id, modelId, outgoing: { text, attachments: [] }, ...(isForOnline === true && { isForOnline }) }]
  })
}

const files = async (chatId: string) => (await import('@/lib/browser/storage/database')).databaseOf(chatId).draftFiles

/** Where storage refuses, the files last as long as the page, as the words do. */
async function keepFiles(chatId: string, id: string, attachments: Attachment[]): Promise<void> {
  await files(chatId)
    .then((table) => table.put({ chatId: id, attachments }))
    .catch(() => undefined)
}

async function dropFiles(chatId: string, id: string): Promise<void> {
  await files(chatId)
    .then((table) => table.delete(id))
    .catch(() => undefined)
}

/** Sees to it that the waiting questions have their files: another tab writes them down a moment after the words. */
export async function readFiles(chatId: string): Promise<void> {
  if (waitingIn(chatId).length > 0 && !isTemporary(chatId)) await addFiles(chatId).catch(() => undefined)
}

async function addFiles(chatId: string): Promise<void> {
  const table = await files(chatId)
  const rows = await table.bulkGet(waitingIn(chatId).map(({ id }) => id))
  const filesOf = new Map(rows.flatMap((row) => (row ? [[row.chatId, row.attachments]] : [])))
  const queue = waitingIn(chatId).map((waiting) => {
    const attachments = filesOf.get(waiting.id)
    return attachments ? { ...waiting, outgoing: { ...waiting.outgoing, attachments } } : waiting
  })
  useQueues.setState({ [keyOf(chatId)]: queue })
}
