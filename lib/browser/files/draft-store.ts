import { useSyncExternalStore } from 'react'
import type { FileProgress } from '@/lib/browser/files/read-file'
import type { Attachment } from '@/lib/browser/storage/records'

/** A file of a draft: on its way, ready to be sent, or not taken. */
export type DraftFile = { id: string; name: string; size: number } & (
  | { state: 'reading'; file: File; progress: FileProgress }
  | { state: 'failed'; file: File; reason: string; canRetry: boolean }
  | { state: 'ready'; attachment: Attachment; original?: File }
)

/**
 * The files of the drafts of this page. What puts files in here is fetched with the first one; that there are none is
 * known without it.
 */
const NONE: readonly DraftFile[] = []
const drafts = new Map<string, readonly DraftFile[]>()
const listeners = new Set<() => void>()

export function useDraftFiles(chatId: string): readonly DraftFile[] {
  return useSyncExternalStore(
    subscribe,
    () => draftFilesOf(chatId),
    () => NONE,
  )
}

export const draftFilesOf = (chatId: string): readonly DraftFile[] => drafts.get(chatId) ?? NONE

/** Whether the files that were kept for a draft are already in here. */
export const areFilesLoaded = (chatId: string): boolean => drafts.has(chatId)

export function changeDraftFiles(chatId: string, change: (files: readonly DraftFile[]) => readonly DraftFile[]): void {
  drafts.set(chatId, change(draftFilesOf(chatId)))
  for (const listener of listeners) listener()
}

/** What of a draft can be sent now, in its order. */
export function readyAttachments(files: readonly DraftFile[]): Attachment[] {
  return files.flatMap((file) => (file.state === 'ready' ? [file.attachment] : []))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
