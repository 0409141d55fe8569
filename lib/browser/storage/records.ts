import type { Failure } from '@/lib/browser/failure'
import type { Citation } from '@/lib/contract/chat.schema'
import type { Usd } from '@/lib/contract/money'

/** What this browser keeps of chats. Times are Unix milliseconds, sizes are bytes. */

export type TokenCount = { input: number; output: number; cached: number; reasoning: number }

/** One chat. */
export type Conversation = {
  id: string
  title: string
  /** The title was given by a person, and is never replaced. */
  isNamed: boolean
  createdAt: number
  /** The last message; renaming, pinning or moving does not move a chat. */
  updatedAt: number
  modelId: string
  /** Set while a deletion can still be undone. */
  deletedAt?: number
  /** Which child is shown under a message (`''`: under the start), where it is not the newest one. */
  branches: Record<string, string>
  settings?: ChatSettings
  /** Who answers, from the next question on. */
  character?: CharacterRef
  folderId?: string
  isPinned?: boolean
  isArchived?: boolean
  tags?: string[]
  /** An answer ended while nobody looked. */
  isUnread?: boolean
  /** Requests whose price is not known yet and that no message has: for its title, or of a message that was deleted. */
  unpriced?: UnpricedRequest[]
}

/** How one chat asks. What is absent is left to the service and the model. */
export type ChatSettings = {
  systemPrompt?: string
  /** The service's own words are left out of the prompt. */
  isServicePromptOff?: boolean
  temperature?: number
  topP?: number
  maxOutputTokens?: number
  effort?: 'minimal' | 'low' | 'medium' | 'high'
  isThinkingOff?: boolean
  sources?: Sources
}

/** Where an answer may look things up. Each costs extra where it is used. */
export type Sources = {
  /** Absent: never. */
  web?: 'auto' | 'on'
  /** Reads the addresses of a question. */
  readsLinks?: boolean
  searchesX?: boolean
}

/** A character of the service, by its slug, or one of this browser, by its id. */
export type CharacterRef = { id: string; name: string; isLocal?: boolean }

export type MessageStatus = 'streaming' | 'done' | 'stopped' | 'failed' | 'interrupted'

/** A node of a chat's tree. Its words are in `parts`. */
export type Message = {
  id: string
  conversationId: string
  /** `''` for the first message. */
  parentId: string
  role: 'user' | 'assistant'
  status: MessageStatus
  createdAt: number
  modelId?: string
  finishReason?: string
  thinkingMs?: number
  failure?: Failure
  /** What the service said about the model while it answered: that it will be retired. */
  notice?: string
  /** What a question brings along, in its order. */
  attachments?: Attachment[]
  /** Of a question: who was asked. Of an answer: who speaks. */
  character?: CharacterRef
  /** Of an answer: the settings that it was asked with. */
  settings?: ChatSettings
  /** Of an answer: what it may cite as `[REF]n[/REF]`, by its place, from 0. */
  citations?: Citation[]
  /** Of an answer: what was done for it besides writing. */
  steps?: Step[]
  /** Of an answer: the name of a comparison; the answers of one question that share it stand side by side. */
  comparison?: string
  /** Of an answer: its page was closed or reloaded while it was written. */
  wasLeft?: true
  /** Of an answer: its requests whose price is not known yet; each becomes a receipt, or cost nothing. */
  unpriced?: UnpricedRequest[]
}

/** A request that was sent, by the name that the ledger will know it by. */
export type UnpricedRequest = {
  id: string
  model: string
  at: number
  /** Who paid: nobody else is told its price. */
  payer?: string
  /** Known when it was left in this page: how long it took, and the id that the operator finds it by. */
  durationMs?: number
  ray?: string
  purpose?: Purpose
}

/** What a request was for that is no answer of the chat. */
export type Purpose = 'title' | 'suggestions'

/** Something that was done for an answer. */
export type Step =
  /** `outcome` is absent where the service did not say how it went. */
  | { type: 'search'; sources: number; outcome?: SearchOutcome }
  | { type: 'assist'; reads: 'image_url' | 'input_audio' | 'video_url'; model: string }
  | { type: 'tool'; name: string; input: string }

/** How a web search went, as the service says it. */
export type SearchOutcome = 'found' | 'nothing_found' | 'failed' | 'not_needed'

/** A file of a question; its bytes are in `blobs`. */
export type Attachment = {
  id: string
  kind: 'image' | 'audio' | 'video' | 'document'
  name: string
  /** As the browser or its content says. */
  mediaType: string
  size: number
  /** SHA-256 of the bytes, in hex: where `blobs` has them. */
  hash: string
  width?: number
  height?: number
  durationMs?: number
  pages?: number
  /** About what it adds to the prompt. */
  tokens?: number
}

/** Bytes that messages and drafts point at, each kept once. `unusedSince`: when nothing was first seen to point at them. */
export type StoredBlob = { hash: string; size: number; data: Blob; unusedSince?: number }

export type Part = { messageId: string; conversationId: string; i: number; type: 'reasoning' | 'text'; payload: string }

/** What one request took. An answer that was continued has several. Its id is the name of its request in the ledger. */
export type Receipt = {
  id: string
  conversationId: string
  messageId: string
  /** The id that the operator finds the request by. */
  requestId?: string
  model: string
  tokens: TokenCount
  /** Charged beside the tokens: how many sources were found, where the web was asked. */
  sources?: number
  /** The part of `cost` that the sources took. */
  sourcesCost?: Usd
  /** The part of `cost` that other models took for reading attachments. */
  readingCost?: Usd
  purpose?: Purpose
  /** Who spoke: a character's words are part of the prompt. */
  character?: string
  /** Absent when the service named no price. */
  cost?: Usd
  durationMs: number
  at: number
}

/** The words of an answer that is being written, saved as it grows; gone when it is finished. */
export type Unfinished = {
  messageId: string
  text: string
  reasoning: string
  thinkingMs?: number
  citations?: Citation[]
  steps?: Step[]
  savedAt: number
}

/** What the answers of one day took in all. A chat that is deleted was paid for all the same. */
export type DaySpending = {
  /** By this device's clock, as `dayOf` writes it. */
  day: string
  spent: Usd
}

/** A group of chats. `position` orders them. */
export type Folder = { id: string; name: string; position: number }

/** The files of a draft or of a question that waits to be sent, in their order. Its text is in localStorage. */
export type DraftFiles = { chatId: string; attachments: Attachment[] }

/** A character that lives in this browser only: its prompt goes out as the system prompt. */
export type LocalCharacter = {
  id: string
  name: string
  description: string
  systemPrompt: string
  greeting: string
  tags: string[]
  /** Hash of its picture in `blobs`. */
  portrait?: string
  createdAt: number
  updatedAt: number
}

/** A star that a person gave; `at` orders them. */
export type Favourite = { key: string; kind: 'character' | 'model'; id: string; at: number }

/** A chat that is shared by link. The key opens the copy that the service has; the secret takes it back. */
export type KeptShare = {
  id: string
  conversationId: string
  title: string
  /** As in the link, after the `#`. */
  key: string
  secret: string
  createdAt: number
  expiresAt: number
}

/** How long a deletion can be taken back. */
export const UNDO_MS = 10_000

export const TEMPORARY_PREFIX = 'temporary-'

/** Whether a chat is one that is never written down: it is in the memory of one page. */
export const isTemporary = (conversationId: string): boolean => conversationId.startsWith(TEMPORARY_PREFIX)

/** What a person sends: words, files, or both. */
export type Outgoing = { text: string; attachments: Attachment[] }

/** The draft of the chat that has no id yet. */
export const NEW_CHAT = 'new'

/** The files of a turn that go to a model: what an imported answer shows is nothing that an answer may carry. */
export const filesSent = ({ role, attachments = [] }: { role: string; attachments?: Attachment[] }): Attachment[] =>
  role === 'user' ? attachments : []
