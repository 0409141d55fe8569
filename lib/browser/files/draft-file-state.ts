import { create } from 'zustand'
import type { Attachment } from '@/lib/browser/storage/records'

export type FileProgress = { step: 'read' | 'convert' | 'shrink' | 'look' | 'keep'; share: number }

export type DraftFile = { id: string; name: string; size: number } & (
  | { state: 'reading'; file: File; progress: FileProgress }
  | { state: 'failed'; file: File; reason: string; canRetry: boolean }
  | { state: 'ready'; attachment: Attachment; original?: File }
)

/** Files of the drafts of this page, by chat. What fills it is loaded with the first file. */
const useFiles = create<Record<string, readonly DraftFile[]>>(() => ({}))
const NONE: readonly DraftFile[] = []

export const useDraftFiles = (chatId: string): readonly DraftFile[] => useFiles((files) => files[chatId] ?? NONE)

export const draftFilesOf = (chatId: string): readonly DraftFile[] => useFiles.getState()[chatId] ?? NONE

export const areFilesLoaded = (chatId: string): boolean => chatId in useFiles.getState()

export function changeDraftFiles(chatId: string, change: (files: readonly DraftFile[]) => readonly DraftFile[]): void {
  useFiles.setState((files) => ({ [chatId]: change(files[chatId] ?? NONE) }))
}

export function readyAttachments(files: readonly DraftFile[]): Attachment[] {
  return files.flatMap((file) => (file.state === 'ready' ? [file.attachment] : []))
}
