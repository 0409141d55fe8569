import { create } from 'zustand'
import type { Attachment } from '@/lib/browser/storage/records'

/** How far a file is: what is being done, and how much of it, from 0 to 1. */
export type FileProgress = { step: 'read' | 'convert' | 'shrink' | 'look' | 'keep'; share: number }

/** A file of a draft: on its way, ready to be sent, or not taken. */
export type DraftFile = { id: string; name: string; size: number } & (
  | { state: 'reading'; file: File; progress: FileProgress }
  | { state: 'failed'; file: File; reason: string; canRetry: boolean }
  | { state: 'ready'; attachment: Attachment; original?: File }
)

/**
 * The files of the drafts of this page, by chat. What puts files in here is fetched with the first one; that there are
 * none is known without it.
 */
const useFiles = create<Record<string, readonly DraftFile[]>>(() => ({}))
const NONE: readonly DraftFile[] = []

export const useDraftFiles = (chatId: string): readonly DraftFile[] => useFiles((files) => files[chatId] ?? NONE)

export const draftFilesOf = (chatId: string): readonly DraftFile[] => useFiles.getState()[chatId] ?? NONE

/** Whether the files that were kept for a draft are already in here. */
export const areFilesLoaded = (chatId: string): boolean => chatId in useFiles.getState()

export function changeDraftFiles(chatId: string, change: (files: readonly DraftFile[]) => readonly DraftFile[]): void {
  useFiles.setState((files) => ({ [chatId]: change(files[chatId] ?? NONE) }))
}

/** What of a draft can be sent now, in its order. */
export function readyAttachments(files: readonly DraftFile[]): Attachment[] {
  return files.flatMap((file) => (file.state === 'ready' ? [file.attachment] : []))
}
