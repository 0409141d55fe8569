import { Dexie, type DexieOptions, type EntityTable, type Table } from 'dexie'
import { dayOf } from '@/lib/browser/format/day'
import type { Generation } from '@/lib/browser/storage/generations'
import type {
  Conversation,
  DaySpending,
  DraftFiles,
  Favourite,
  Folder,
  KeptShare,
  LocalCharacter,
  Message,
  Part,
  Receipt,
  StoredBlob,
  Unfinished,
} from '@/lib/browser/storage/records'
import { isTemporary, TEMPORARY_PREFIX } from '@/lib/browser/storage/records'
import { isVaultOn } from '@/lib/browser/vault/flag'
import { VaultGate } from '@/lib/browser/vault/gate'
import { nano } from '@/lib/contract/money'

/** All chats of this browser. Nothing in it is ever sent but as the messages of a question. */
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
  declare shares: EntityTable<KeptShare, 'id'>
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

/** Where chats are that are kept plain. */
export const PLAIN_NAME = 'lagoon'
/** What the vault opens is called in the memory of a page. */
export const OPEN_NAME = 'lagoon-open'

/** What the chats of this page wait behind, where they are in the vault. */
export const vaultGate = isVaultOn() ? new VaultGate() : undefined

/** What is kept. With the vault on it is in memory, and asks wait until it is open. */
export const db = vaultGate
  ? vaultGate.guard(new HistoryDatabase(OPEN_NAME, vaultGate.options))
  : new HistoryDatabase(PLAIN_NAME)

/** Chats that are gone with the page. Opened with the first of them. */
let temporary: HistoryDatabase | undefined

/**
 * Where a chat is: in this browser's storage, or, a temporary one, in the memory of this page.
 *
 * @throws Error for a temporary chat of another page: it must never be written to what is kept.
 */
export function databaseOf(conversationId: string): HistoryDatabase {
  if (!isTemporary(conversationId)) return db
  if (!temporary) throw new Error('This temporary chat has been deleted.')
  return temporary
}

/** All databases that are open: what is kept, and the temporary chats of this page if there are any. */
export const openDatabases = (): HistoryDatabase[] => (temporary ? [db, temporary] : [db])

/** Makes room for temporary chats in the memory of this page, and an id for a new one. */
export async function newTemporaryId(id: string): Promise<string> {
  if (!temporary) {
    const { IDBFactory, IDBKeyRange } = await import('fake-indexeddb')
    temporary ??= new HistoryDatabase('temporary', { indexedDB: new IDBFactory(), IDBKeyRange })
  }
  return TEMPORARY_PREFIX + id
}

/** Databases that features opened on this page for themselves. */
const opened = new Set<{ close(): void }>()

/** Notes an open database of a feature, so that it lets go of its data before all data is deleted. */
export function noteDatabase(database: { close(): void }): void {
  opened.add(database)
}

/** Closes what features opened: an open database would hold up its deletion. */
export function closeFeatureDatabases(): void {
  for (const database of opened) database.close()
}
