import {
  changeDraftFiles,
  type DraftFile,
  draftFilesOf,
  type FileProgress,
  readyAttachments,
} from '@/lib/browser/files/draft-file-state'
import { FileRefused, MAX_DRAFT_FILES } from '@/lib/browser/files/limits'
import { readFile } from '@/lib/browser/files/read-file'
import { openDraftFiles, readyFile, saveDraftFiles } from '@/lib/browser/files/stored-draft-files'
import type { Attachment } from '@/lib/browser/storage/records'
import { uuid } from '@/lib/contract/ids'
import { t } from '@/lib/i18n/t'

/** An image takes a hundred megabytes while it is scaled. */
const AT_ONCE = 2
const PROGRESS_STEP = 0.04

const readings = new Map<string, AbortController>()
const waiting: (() => Promise<void>)[] = []
let running = 0

/**
 * Adds files to a draft: each is read, made to fit and stored.
 * @returns how many were left out because there are too many.
 */
export async function addDraftFiles(chatId: string, files: readonly File[]): Promise<number> {
  await openDraftFiles(chatId)
  const remaining = Math.max(0, MAX_DRAFT_FILES - draftFilesOf(chatId).length)
  for (const file of files.slice(0, remaining)) begin(chatId, uuid(), file, false)
  return Math.max(0, files.length - remaining)
}

/** Removes a file from a draft in any state. @returns what puts a finished one back in its place. */
export function removeDraftFile(chatId: string, id: string): (() => void) | undefined {
  readings.get(id)?.abort(new DOMException('The file was taken away.', 'AbortError'))
  const at = draftFilesOf(chatId).findIndex((file) => file.id === id)
  const file = draftFilesOf(chatId)[at]
  changeDraftFiles(chatId, (files) => files.filter((other) => other.id !== id))
  void keep(chatId)
  if (file?.state !== 'ready') return undefined
  return () => {
    changeDraftFiles(chatId, (files) => files.toSpliced(Math.min(at, files.length), 0, file))
    void keep(chatId)
  }
}

export function retryDraftFile(chatId: string, id: string): void {
  const file = draftFilesOf(chatId).find((other) => other.id === id)
  if (file?.state === 'failed') begin(chatId, id, file.file, false)
}

export function takeOriginal(chatId: string, id: string): void {
  const file = draftFilesOf(chatId).find((other) => other.id === id)
  if (file?.state === 'ready' && file.original) begin(chatId, id, file.original, true)
}

export function replaceDraftFile(chatId: string, id: string, file: File): void {
  begin(chatId, id, file, false)
}

export function moveDraftFile(chatId: string, id: string, by: number): void {
  changeDraftFiles(chatId, (files) => {
    const at = files.findIndex((file) => file.id === id)
    const file = files[at]
    if (!file) return files
    return files.toSpliced(at, 1).toSpliced(Math.max(0, Math.min(files.length - 1, at + by)), 0, file)
  })
  void keep(chatId)
}

export function clearDraftFiles(chatId: string, sent?: readonly string[]): void {
  const isGone = ({ id }: DraftFile) => sent === undefined || sent.includes(id)
  for (const file of draftFilesOf(chatId)) {
    if (isGone(file)) readings.get(file.id)?.abort(new DOMException('The draft ended.', 'AbortError'))
  }
  changeDraftFiles(chatId, (files) => files.filter((file) => !isGone(file)))
  void keep(chatId)
}

export async function putDraftFiles(chatId: string, attachments: Attachment[]): Promise<void> {
  await openDraftFiles(chatId)
  const known = new Set(readyAttachments(draftFilesOf(chatId)).map(({ id }) => id))
  const added = attachments.filter(({ id }) => !known.has(id)).map(readyFile)
  changeDraftFiles(chatId, (files) => [...added, ...files])
  await keep(chatId)
}

function begin(chatId: string, id: string, file: File, keepsOriginal: boolean): void {
  const controller = new AbortController()
  readings.get(id)?.abort()
  readings.set(id, controller)
  const pending: DraftFile = {
    ...{ id, name: file.name, size: file.size },
    ...{ state: 'reading', file, progress: { step: 'read', share: 0 } },
  }
  changeDraftFiles(chatId, (files) =>
    files.some((other) => other.id === id)
      ? files.map((other) => (other.id === id ? pending : other))
      : [...files, pending],
  )
  waiting.push(() => finish(chatId, id, file, controller, keepsOriginal))
  void work()
}

async function work(): Promise<void> {
  if (running >= AT_ONCE) return
  const next = waiting.shift()
  if (!next) return
  running += 1
  try {
    await next()
  } finally {
    running -= 1
    void work()
  }
}

async function finish(
  chatId: string,
  id: string,
  file: File,
  controller: AbortController,
  keepsOriginal: boolean,
): Promise<void> {
  const { signal } = controller
  const become = (next: DraftFile) => {
    if (!signal.aborted) changeDraftFiles(chatId, (files) => files.map((other) => (other.id === id ? next : other)))
  }
  let shown: FileProgress = { step: 'read', share: 0 }
  const onProgress = (progress: FileProgress) => {
    if (progress.step === shown.step && progress.share < shown.share + PROGRESS_STEP) return
    shown = progress
    become({ id, name: file.name, size: file.size, state: 'reading', file, progress })
  }
  try {
    signal.throwIfAborted()
    const { attachment, isShrunk } = await readFile(file, signal, onProgress, { chatId, keepsOriginal })
    become({ ...readyFile({ ...attachment, id }), ...(isShrunk && { original: file }) })
    await keep(chatId)
  } catch (error) {
    become({ id, name: file.name, size: file.size, state: 'failed', file, ...failureOf(error) })
  } finally {
    if (readings.get(id) === controller) readings.delete(id)
  }
}

function failureOf(error: unknown): { reason: string; canRetry: boolean } {
  if (error instanceof FileRefused) return { reason: error.message, canRetry: false }
  if (error instanceof DOMException && error.name === 'NotReadableError') {
    return { reason: t('This file couldn’t be read. It may have been moved. Add the file again.'), canRetry: true }
  }
  if (error instanceof Error && /quota/i.test(error.name + error.message)) {
    return { reason: t('Not enough storage on this device. Free up space and try again.'), canRetry: true }
  }
  return { reason: t('This file could not be read.'), canRetry: true }
}

function keep(chatId: string): Promise<void> {
  return saveDraftFiles(chatId, readyAttachments(draftFilesOf(chatId))).catch(() => undefined)
}
