import { useEffect } from 'react'
import { create } from 'zustand'
import { readStored, writeStored } from '@/lib/browser/local-storage'
import { type Attachment, isTemporary, type Outgoing } from '@/lib/browser/storage/records'
import { isVaultOn } from '@/lib/browser/vault/flag'
import { uuid } from '@/lib/contract/ids'

export type Queued = { id: string; outgoing: Outgoing; isForOnline?: boolean }

export type Waiting = Queued & { modelId: string }

const MAX_WAITING = 20

/** Names the queue in local storage and in the store, where a bare id from the address could be any word. */
const storageKey = (chatId: string): string => `lagoon:queue:${chatId}`

const NONE: readonly Waiting[] = []

const useQueues = create<Partial<Record<string, readonly Waiting[]>>>(() => ({}))

/** Returns the waiting messages of a chat in order. They survive a reload; those of a temporary chat do not. */
export function useQueue(chatId: string | null): readonly Queued[] {
  useEffect(() => {
    if (chatId === null) return
    waitingIn(chatId)
    // Another tab has changed what waits.
    const onStorage = ({ key }: StorageEvent) => {
      if (key === storageKey(chatId)) readQueue(chatId)
    }
    window.addEventListener('storage', onStorage)
    return () => window.removeEventListener('storage', onStorage)
  }, [chatId])
  return useQueues((queues) => (chatId === null ? undefined : queues[storageKey(chatId)])) ?? NONE
}

export function enqueue(chatId: string, outgoing: Outgoing, modelId: string, isForOnline = false): void {
  const waiting: Waiting = { id: uuid(), outgoing, modelId, ...(isForOnline && { isForOnline }) }
  put(chatId, [...waitingIn(chatId), waiting])
  if (outgoing.attachments.length > 0) void keepFiles(chatId, waiting.id, outgoing.attachments)
}

export function dequeue(chatId: string, id: string): Outgoing | undefined {
  return take(chatId, id)?.outgoing
}

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

export function putBack(chatId: string, waiting: Waiting): void {
  put(chatId, [waiting, ...waitingIn(chatId)])
  const { attachments } = waiting.outgoing
  if (attachments.length > 0) void keepFiles(chatId, waiting.id, attachments)
}

export const waitingIn = (chatId: string): readonly Waiting[] =>
  useQueues.getState()[storageKey(chatId)] ?? readQueue(chatId)

function readQueue(chatId: string): readonly Waiting[] {
  const stored = readStoredQueue(chatId)
  useQueues.setState({ [storageKey(chatId)]: stored })
  if (stored.length > 0) void addFiles(chatId).catch(() => undefined)
  return stored
}

function put(chatId: string, queue: readonly Waiting[]): void {
  useQueues.setState({ [storageKey(chatId)]: queue })
  if (!isTemporary(chatId) && !isVaultOn()) write(chatId, queue)
}

function write(chatId: string, queue: readonly Waiting[]): void {
  const rows = queue.map(({ id, modelId, outgoing, isForOnline }) => ({
    id,
    modelId,
    text: outgoing.text,
    isForOnline,
  }))
  writeStored(storageKey(chatId), rows.length === 0 ? null : JSON.stringify(rows))
}

function readStoredQueue(chatId: string): readonly Waiting[] {
  if (isTemporary(chatId) || isVaultOn()) return NONE
  try {
    return parseQueue(readStored(storageKey(chatId)))
  } catch {
    return NONE
  }
}

/** @throws SyntaxError when it is not JSON. */
export function parseQueue(stored: string | null): Waiting[] {
  const rows: unknown = JSON.parse(stored ?? '[]')
  if (!Array.isArray(rows)) return []
  return rows.slice(0, MAX_WAITING).flatMap((row: Partial<Record<string, unknown>> | null): Waiting[] => {
    const { id, modelId, text, isForOnline } = row ?? {}
    if (typeof id !== 'string' || typeof modelId !== 'string' || typeof text !== 'string') return []
    return [{ id, modelId, outgoing: { text, attachments: [] }, ...(isForOnline === true && { isForOnline }) }]
  })
}

const files = async (chatId: string) => (await import('@/lib/browser/storage/database')).databaseOf(chatId).draftFiles

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

/** Loads the files of waiting messages: another tab stores them a moment after the text. */
export async function readFiles(chatId: string): Promise<void> {
  if (waitingIn(chatId).length > 0 && !isTemporary(chatId)) await addFiles(chatId).catch(() => undefined)
}

async function addFiles(chatId: string): Promise<void> {
  const table = await files(chatId)
  const rows = await table.bulkGet(waitingIn(chatId).map(({ id }) => id))
  const attachmentsById = new Map(rows.flatMap((row) => (row ? [[row.chatId, row.attachments]] : [])))
  const queue = waitingIn(chatId).map((waiting) => {
    const attachments = attachmentsById.get(waiting.id)
    return attachments ? { ...waiting, outgoing: { ...waiting.outgoing, attachments } } : waiting
  })
  useQueues.setState({ [storageKey(chatId)]: queue })
}
