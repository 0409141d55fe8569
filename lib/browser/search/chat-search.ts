import { Dexie, type IntervalTree, type ObservabilitySet, RangeSet } from 'dexie'
import { type Piece, snippetOf } from '@/lib/browser/search/snippet'
import { type Found, fold, searchWords, termsOf, WordIndex } from '@/lib/browser/search/word-index'
import type { HistoryDatabase } from '@/lib/browser/storage/database'
import type { Conversation, Message } from '@/lib/browser/storage/records'

const PAGE = 1_000
/** With more changed messages than this, all are read anew. */
const MAX_CHANGES = 500
/** A title that has the words counts as much as a message that is this much newer. */
const TITLE_LEAD_MS = 365 * 86_400_000
/** So does a word that stands there as it was typed. */
const WHOLE_LEAD_MS = 7 * 86_400_000

type Row = Pick<Message, 'id' | 'conversationId' | 'role' | 'modelId' | 'createdAt'>

/** Finds chats and messages by their words. Reads all of the database once, then what changed. */
export class ChatSearch {
  #index = new WordIndex()
  #rows = new Map<number, Row>()
  #numbers = new Map<string, number>()
  #chats = new Map<string, Conversation>()
  #changed = new Set<string>()
  #isStale = true
  #areChatsStale = true
  #syncing: Promise<void> = Promise.resolve()

  readonly database: HistoryDatabase

  constructor(database: HistoryDatabase) {
    this.database = database
  }

  get stats(): { messages: number; bytes: number } {
    this.#index.squeeze()
    return { messages: this.#index.size, bytes: this.#index.bytes }
  }

  /** Notes that messages changed, are new or are gone; without ids, that any may have. */
  noteMessages(ids?: readonly string[]): void {
    if (!ids) this.#isStale = true
    for (const id of ids ?? []) this.#changed.add(id)
    if (this.#changed.size > MAX_CHANGES) this.#isStale = true
  }

  noteChats(): void {
    this.#areChatsStale = true
  }

  /** Returns chats and messages that have all words of the query, or their beginnings; best first. */
  async find(query: string, filters: SearchFilters = {}): Promise<Hit[]> {
    const terms = termsOf(query)
    if (terms.length === 0) return []
    await this.sync()
    const titles = filters.role || filters.modelId ? [] : this.#titlesWith(terms, filters)
    const messages = this.#messagesWith(this.#index.find(terms), filters)
    const best = [...titles, ...messages].sort((a, b) => b.rank - a.rank).slice(0, MAX_HITS)
    const texts = await this.#textsOf(best.flatMap(({ row }) => (row ? [row.id] : [])))
    return best.map(({ chat, row }) => hitOf(chat, row, row && texts.get(row.id), terms))
  }

  sync(): Promise<void> {
    this.#syncing = this.#syncing.catch(() => undefined).then(() => this.#sync())
    return this.#syncing
  }

  async #sync(): Promise<void> {
    if (this.#areChatsStale) {
      this.#areChatsStale = false
      const chats = await this.database.conversations.toArray()
      this.#chats = new Map(chats.map((chat) => [chat.id, chat]))
    }
    if (this.#isStale) {
      this.#isStale = false
      this.#changed.clear()
      await this.#readAll()
    } else if (this.#changed.size > 0) {
      const ids = [...this.#changed]
      this.#changed.clear()
      const messages = await this.database.messages.bulkGet(ids)
      for (const id of ids) this.#forget(id)
      const present = messages.filter((message) => message !== undefined)
      const texts = await this.#textsOf(present.map(({ id }) => id))
      for (const message of present) this.#learn(message, texts.get(message.id) ?? '')
    }
  }

  async #readAll(): Promise<void> {
    this.#index = new WordIndex()
    this.#rows.clear()
    this.#numbers.clear()
    const messages = new Map((await this.database.messages.toArray()).map((message) => [message.id, message]))
    let text = ''
    let id = ''
    const flush = () => {
      const message = messages.get(id)
      if (message) this.#learn(message, text)
    }
    // The parts of a message stand together, in their order.
    for await (const part of this.#allParts()) {
      if (part.messageId !== id) {
        flush()
        id = part.messageId
        text = ''
      }
      if (part.type === 'text') text += part.payload
    }
    flush()
  }

  async *#allParts() {
    const { parts } = this.database
    let from: unknown = Dexie.minKey
    for (;;) {
      const page = await parts.where(':id').above(from).limit(PAGE).toArray()
      yield* page
      const last = page.at(-1)
      if (!last || page.length < PAGE) return
      from = [last.messageId, last.i]
    }
  }

  #learn({ id, conversationId, role, modelId, createdAt, status }: Message, text: string): void {
    // What is still being written is learned when it is finished.
    if (status === 'streaming' || !text) return
    const number = this.#index.add(searchWords(text))
    this.#rows.set(number, { id, conversationId, role, createdAt, ...(modelId && { modelId }) })
    this.#numbers.set(id, number)
  }

  #forget(id: string): void {
    const number = this.#numbers.get(id)
    if (number === undefined) return
    this.#index.remove(number)
    this.#rows.delete(number)
    this.#numbers.delete(id)
  }

  #messagesWith(found: readonly Found[], filters: SearchFilters) {
    return found.flatMap(({ number, whole }) => {
      const row = this.#rows.get(number)
      const chat = row && this.#chats.get(row.conversationId)
      if (!row || !chat || !isIn(chat, filters)) return []
      if (filters.role && row.role !== filters.role) return []
      if (filters.modelId && row.modelId !== filters.modelId) return []
      if (!isWithin(row.createdAt, filters)) return []
      return [{ chat, row, rank: row.createdAt + whole * WHOLE_LEAD_MS }]
    })
  }

  #titlesWith(terms: readonly string[], filters: SearchFilters) {
    return [...this.#chats.values()].flatMap((chat) => {
      if (!isIn(chat, filters) || !isWithin(chat.updatedAt, filters)) return []
      const title = fold(chat.title)
      const hasAll = terms.every((term) => [...searchWords(title)].some((word) => word.startsWith(term)))
      return hasAll ? [{ chat, row: undefined, rank: chat.updatedAt + TITLE_LEAD_MS }] : []
    })
  }

  async #textsOf(ids: readonly string[]): Promise<Map<string, string>> {
    const found = await Promise.all(
      ids.map((id) =>
        this.database.parts.where('[messageId+i]').between([id, Dexie.minKey], [id, Dexie.maxKey]).toArray(),
      ),
    )
    return new Map(
      ids.map((id, at) => [
        id,
        (found[at] ?? []).flatMap((part) => (part.type === 'text' ? [part.payload] : [])).join(''),
      ]),
    )
  }
}

function isIn(chat: Conversation, { folderId, tag }: SearchFilters): boolean {
  if (chat.deletedAt !== undefined) return false
  if (folderId !== undefined && (chat.folderId ?? '') !== folderId) return false
  return tag === undefined || chat.tags?.includes(tag) === true
}

const isWithin = (time: number, { from, to }: SearchFilters): boolean =>
  (from === undefined || time >= from) && (to === undefined || time < to)

function hitOf(chat: Conversation, row: Row | undefined, text: string | undefined, terms: readonly string[]): Hit {
  return {
    conversationId: chat.id,
    title: chat.title,
    titlePieces: snippetOf(chat.title, terms),
    isArchived: chat.isArchived === true,
    at: row?.createdAt ?? chat.updatedAt,
    ...(row && {
      messageId: row.id,
      role: row.role,
      ...(row.modelId && { modelId: row.modelId }),
      snippet: snippetOf(unmarked(text ?? ''), terms),
    }),
  }
}

const unmarked = (text: string): string => text.replace(/\*\*|__|`+|^#{1,6}\s|^>\s?/gm, '')

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

const MAX_HITS = 60

/** Tells a search what changes in its database, in this tab and in all others. */
export function followChanges(search: ChatSearch): void {
  const prefix = `idb://${search.database.name}/`
  Dexie.on('storagemutated', (changed: ObservabilitySet) => {
    if ('all' in changed) {
      search.noteChats()
      return search.noteMessages()
    }
    const names = Object.keys(changed)
    if (names.some((name) => name.startsWith(`${prefix}conversations/`))) search.noteChats()
    // An answer's words are stored in one step with its record, and deleted with it.
    for (const name of [`${prefix}messages/`, `${prefix}messages/:dels`]) {
      const range = changed[name]
      if (range) search.noteMessages(keysOf(range))
    }
  })
}

function keysOf(range: IntervalTree): string[] | undefined {
  const keys: string[] = []
  for (const { from, to } of new RangeSet().add(range)) {
    if (typeof from !== 'string' || from !== to) return undefined
    keys.push(from)
  }
  return keys
}
