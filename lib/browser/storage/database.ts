import { Dexie, type DexieOptions, type EntityTable, type Table } from 'dexie'
import { dayOf } from '@/lib/browser/format/day'
import type { Generation } from '@/lib/browser/storage/generations'
import {
  type Conversation,
  type DaySpending,
  type DraftFiles,
  type Favourite,
  type Folder,
  isTemporary,
  type LocalCharacter,
  type Message,
  type Part,
  type Receipt,
  type StoredBlob,
  type StoredShare,
  TEMPORARY_PREFIX,
  type Unfinished,
} from '@/lib/browser/storage/records'
import { isVaultOn } from '@/lib/browser/vault/flag'
import { VaultGate } from '@/lib/browser/vault/gate'
import { nano } from '@/lib/contract/money'

export class HistoryDatabase extends Dexie {
  declare conversations: EntityTable<Conversation, 'id'>
  declare messages: EntityTable<Message, 'id'>
  declare parts: Table<Part, [string, number]>
  declare receipts: EntityTable<Receipt, 'id'>
  declare unfinished: EntityTable<Unfinished, 'messageId'>
  declare spending: EntityTable<DaySpending, 'day'>
  declare blobs: EntityTable<StoredBlob, 'hash'>
  declare folders: EntityTable<Folder, 'id'>
  declare draftFiles: EntityTable<DraftFiles, 'chatId'>
  declare characters: EntityTable<LocalCharacter, 'id'>
  declare favourites: EntityTable<Favourite, 'key'>
  declare shares: EntityTable<StoredShare, 'id'>
  declare creations: EntityTable<Generation, 'id'>

  constructor(name: string, options?: DexieOptions) {
    super(name, options)
    this.version(1).stores({
      conversations: 'id, updatedAt',
      messages: 'id, conversationId',
      parts: '[messageId+i], conversationId',
      receipts: 'id, conversationId',
      unfinished: 'messageId',
    })
    this.version(2)
      .stores({ spending: 'day' })
      .upgrade(async (transaction) => {
        const receipts: Receipt[] = await transaction.table('receipts').toArray()
        const days = Map.groupBy(receipts, (receipt) => dayOf(receipt.at))
        for (const [day, paid] of days) {
          const spent = nano(paid.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n))
          await transaction.table('spending').put({ day, spent } satisfies DaySpending)
        }
      })
    this.version(3).stores({
      blobs: 'hash',
      folders: 'id',
      draftFiles: 'chatId',
      characters: 'id, updatedAt',
      favourites: 'key, kind',
      shares: 'id, conversationId',
    })
    this.version(4).stores({ creations: 'id, [kind+createdAt], job.id' })
  }
}

export const PLAIN_NAME = 'lagoon'
export const OPEN_NAME = 'lagoon-open'

export const vaultGate = isVaultOn() ? new VaultGate() : undefined

export const db = vaultGate
  ? vaultGate.guard(new HistoryDatabase(OPEN_NAME, vaultGate.options))
  : new HistoryDatabase(PLAIN_NAME)

let temporary: HistoryDatabase | undefined

/**
 * Returns the database of a chat: this browser's, or for a temporary chat the page's memory.
 * @throws Error for a temporary chat of another page: it must never be written to storage.
 */
export function databaseOf(conversationId: string): HistoryDatabase {
  if (!isTemporary(conversationId)) return db
  if (!temporary) throw new Error('This temporary chat has been deleted.')
  return temporary
}

export const openDatabases = (): HistoryDatabase[] => (temporary ? [db, temporary] : [db])

export async function newTemporaryId(id: string): Promise<string> {
  if (!temporary) {
    const { IDBFactory, IDBKeyRange } = await import('fake-indexeddb')
    temporary ??= new HistoryDatabase('temporary', { indexedDB: new IDBFactory(), IDBKeyRange })
  }
  return TEMPORARY_PREFIX + id
}

const opened = new Set<{ close(): void }>()

/** Registers a feature's open database, so that it is closed before all data is deleted. */
export function noteDatabase(database: { close(): void }): void {
  opened.add(database)
}

export function closeFeatureDatabases(): void {
  for (const database of opened) database.close()
}
