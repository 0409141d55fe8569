import type { Piece } from '@/lib/browser/search/snippet'

/** What a search may be narrowed to. Times are Unix milliseconds. */
export type SearchFilters = {
  role?: 'user' | 'assistant'
  modelId?: string
  /** `''`: in no folder. */
  folderId?: string
  tag?: string
  from?: number
  to?: number
}

/** A message that has the words, or a chat that is called so: then without a message. */
export type Hit = {
  conversationId: string
  title: string
  /** The title, with marks where it has the words. */
  titlePieces: Piece[]
  isArchived: boolean
  at: number
  messageId?: string
  role?: 'user' | 'assistant'
  modelId?: string
  snippet?: Piece[]
}

/** What is shown of a search at most. */
export const MAX_HITS = 60
