import type { Failure } from '@/lib/browser/failure'
import type { Citation } from '@/lib/contract/chat.schema'
import type { Usd } from '@/lib/contract/money'

/** What this browser stores of chats. Times are Unix milliseconds, sizes are bytes. */

export type TokenCount = { input: number; output: number; cached: number; reasoning: number }

export type Conversation = {
  id: string
  title: string
  isNamed: boolean
  createdAt: number
  /** Time of the last message; renaming, pinning or moving does not change it. */
  updatedAt: number
  modelId: string
  deletedAt?: number
  /** Which child is shown under a message (`''`: under the start), where it is not the newest one. */
  branches: Record<string, string>
  settings?: ChatSettings
  character?: CharacterRef
  folderId?: string
  isPinned?: boolean
  isArchived?: boolean
  tags?: string[]
  isUnread?: boolean
  /** Requests without a known price that no message has: for its title, or of a deleted message. */
  unpriced?: UnpricedRequest[]
}

export type ChatSettings = {
  systemPrompt?: string
  isServicePromptOff?: boolean
  temperature?: number
  topP?: number
  maxOutputTokens?: number
  effort?: 'minimal' | 'low' | 'medium' | 'high'
  isThinkingOff?: boolean
  sources?: Sources
}

export type Sources = { web?: 'auto' | 'on'; readsLinks?: boolean; searchesX?: boolean }

export type CharacterRef = { id: string; name: string; isLocal?: boolean }

export type MessageStatus = 'streaming' | 'done' | 'stopped' | 'failed' | 'interrupted'

export type Message = {
  id: string
  conversationId: string
  parentId: string
  role: 'user' | 'assistant'
  status: MessageStatus
  createdAt: number
  modelId?: string
  finishReason?: string
  thinkingMs?: number
  failure?: Failure
  notice?: string
  attachments?: Attachment[]
  character?: CharacterRef
  settings?: ChatSettings
  /** What the answer may cite as `[REF]n[/REF]`, by index from 0. */
  citations?: Citation[]
  steps?: Step[]
  comparison?: string
  wasLeft?: true
  /** The answer's requests whose price is not known yet; each becomes a receipt, or cost nothing. */
  unpriced?: UnpricedRequest[]
}

export type UnpricedRequest = {
  id: string
  model: string
  at: number
  /** Only this account is told its price. */
  payer?: string
  durationMs?: number
  ray?: string
  purpose?: Purpose
}

export type Purpose = 'title' | 'suggestions'

export type Step =
  /** `outcome` is absent where the service did not say how it went. */
  | { type: 'search'; sources: number; outcome?: SearchOutcome }
  | { type: 'assist'; reads: 'image_url' | 'input_audio' | 'video_url'; model: string }
  | { type: 'tool'; name: string; input: string }

export type SearchOutcome = 'found' | 'nothing_found' | 'failed' | 'not_needed'

export type Attachment = {
  id: string
  kind: 'image' | 'audio' | 'video' | 'document'
  name: string
  mediaType: string
  size: number
  /** SHA-256 of the bytes, in hex: the key in `blobs`. */
  hash: string
  width?: number
  height?: number
  durationMs?: number
  pages?: number
  tokens?: number
}

export type StoredBlob = { hash: string; size: number; data: Blob; unusedSince?: number }

export type Part = { messageId: string; conversationId: string; i: number; type: 'reasoning' | 'text'; payload: string }

export type Receipt = {
  id: string
  conversationId: string
  messageId: string
  requestId?: string
  model: string
  tokens: TokenCount
  sources?: number
  sourcesCost?: Usd
  readingCost?: Usd
  purpose?: Purpose
  character?: string
  cost?: Usd
  durationMs: number
  at: number
}

export type Unfinished = {
  messageId: string
  text: string
  reasoning: string
  thinkingMs?: number
  citations?: Citation[]
  steps?: Step[]
  savedAt: number
}

export type DaySpending = { day: string; spent: Usd }

export const SPENT_EVENT = 'lagoon:spent'

export type Folder = { id: string; name: string; position: number }

export type DraftFiles = { chatId: string; attachments: Attachment[] }

export type LocalCharacter = {
  id: string
  name: string
  description: string
  systemPrompt: string
  greeting: string
  tags: string[]
  portrait?: string
  createdAt: number
  updatedAt: number
}

export type Favourite = { key: string; kind: 'character' | 'model'; id: string; at: number }

/** A chat that is shared by link. The key opens the copy that the service has; the secret revokes it. */
export type StoredShare = {
  id: string
  conversationId: string
  title: string
  key: string
  secret: string
  createdAt: number
  expiresAt: number
}

/** How long a deletion can be undone. */
export const UNDO_MS = 10_000

export const TEMPORARY_PREFIX = 'temporary-'

export const isTemporary = (conversationId: string): boolean => conversationId.startsWith(TEMPORARY_PREFIX)

export type Outgoing = { text: string; attachments: Attachment[] }

export const NEW_CHAT = 'new'

/** Returns the files of a turn that go to a model: those of an imported answer are only shown. */
export const filesSent = ({ role, attachments = [] }: { role: string; attachments?: Attachment[] }): Attachment[] =>
  role === 'user' ? attachments : []
