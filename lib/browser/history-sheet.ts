import { create } from 'zustand'

/** The sheets of the history; one is open at a time. */
export type HistorySheet =
  | { kind: 'archive' }
  | { kind: 'shares' }
  | { kind: 'tags'; chatId: string }
  | { kind: 'share'; chatId: string; leafId?: string }

const useSheet = create<{ open?: HistorySheet | undefined }>(() => ({}))

/** Opens a sheet over the page: import and export, shared links, the tags of a chat, a link to it. */
export const openSheet = (open: HistorySheet | undefined): void => useSheet.setState({ open })

export const useOpenSheet = (): HistorySheet | undefined => useSheet(({ open }) => open)
