import type { Piece } from '@/lib/browser/search/snippet'

/** Filters of a search. Times are Unix milliseconds. */
export type SearchFilters = {
  role?: 'user' | 'assistant'
  modelId?: string
  /** `''`: in no folder. */
  folderId?: string
  tag?: string
  from?: number
  to?: number
}

/** A message that has the words, or, without a message, a chat whose title has them. */
export type Hit = {
  conversationId: string
  title: string
  titlePieces: Piece[]
  isArchived: boolean
  at: number
  messageId?: string
  role?: 'user' | 'assistant'
  modelId?: string
  snippet?: Piece[]
}

export const MAX_HITS = 60
