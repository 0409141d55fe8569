import {
  type DBCore,
  type DBCoreMutateRequest,
  type DBCoreTable,
  Dexie,
  type EntityTable,
  type IndexableType,
} from 'dexie'
import { HistoryDatabase } from '@/lib/browser/storage/database'
import {
  decryptRecord,
  encryptRecord,
  recordName,
  type Sealed,
  type VaultKeys,
  type Wrap,
} from '@/lib/browser/vault/encryption'
import type { Memory, VaultGate } from '@/lib/browser/vault/gate'
import { recordBytes, recordOf } from '@/lib/browser/vault/record-bytes'

const PAGE = 500

export type Change = { table: string; key: IndexableType; record?: unknown }
type Place = { table: string; key: IndexableType }
type Entry = Place & { record: unknown }

type SessionEvents = { onChange?: (changes: readonly Change[]) => void; onCommitted?: () => void; onGone?: () => void }

/**
 * The open vault of one tab: all records in memory, each write stored as ciphertext before it counts as done. One tab
 * writes at a time, and first reads what the others wrote, so that no write is made from an old record.
 */
export class VaultSession {
  /** Records that could not be decrypted: they are left as they are. */
  damaged = 0
  readonly #inner: HistoryDatabase
  readonly #places = new Map<string, Place>()
  #seen = 0
  #changed: Map<string, Place> | undefined
  #letGo: (() => void) | undefined

  readonly store: VaultStore
  readonly #keys: VaultKeys
  readonly #events: SessionEvents

  constructor(store: VaultStore, keys: VaultKeys, database: HistoryDatabase, memory: Memory, events: SessionEvents) {
    this.store = store
    this.#keys = keys
    this.#events = events
    // A second way into the same memory: what is put there this way came from the vault and is not kept again.
    this.#inner = new HistoryDatabase(database.name, memory)
    database.use({ stack: 'dbcore', name: 'vault', create: (core) => this.#watched(core) })
  }

  async open(gate: VaultGate, memory: Memory, onProgress: (done: number, of: number) => void = () => undefined) {
    await this.#forgetDeleted()
    await this.exclusively(() => this.#fill(onProgress))
    gate.open(memory, (write) => this.write(write))
  }

  write<T>(write: () => PromiseLike<T>): Promise<T> {
    return this.exclusively(async () => {
      await this.#pull()
      const changed = new Map<string, Place>()
      this.#changed = changed
      try {
        return await write()
      } finally {
        this.#changed = undefined
        await this.#keep([...changed.values()])
      }
    })
  }

  refresh(): Promise<void> {
    return this.exclusively(() => this.#pull())
  }

  leave<T>(work: () => Promise<T>): Promise<T> {
    return this.exclusively(async () => {
      await this.#take()
      await this.store.state.update('state', { stage: 'emptying' })
      return work()
    })
  }

  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return navigator.locks.request(`${this.store.name}-write`, work)
  }

  async *pagesOf(table: string, size: number): AsyncGenerator<unknown[]> {
    const keys = await this.#inner.table(table).toCollection().primaryKeys()
    for (let at = 0; at < keys.length; at += size) yield this.#inner.table(table).bulkGet(keys.slice(at, at + size))
  }

  close(): void {
    this.#letGo?.()
    this.#inner.close()
    this.store.close()
  }

  /** Tombstones are for other tabs: with none open they go. */
  async #forgetDeleted(): Promise<void> {
    const name = `${this.store.name}-open`
    await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock) await this.store.records.filter(({ sealed }) => !sealed).delete()
    })
    await new Promise<void>((held) => {
      void navigator.locks.request(name, { mode: 'shared' }, () => {
        held()
        return new Promise<void>((resolve) => {
          this.#letGo = resolve
        })
      })
    })
  }

  async #fill(onProgress: (done: number, of: number) => void): Promise<void> {
    const { records, counters } = this.store
    this.#seen = (await counters.get('seq'))?.value ?? 0
    const total = await records.count()
    let done = 0
    for (let from = ''; ; ) {
      const rows = await records.where('name').above(from).limit(PAGE).toArray()
      await this.#apply(rows)
      done += rows.length
      onProgress(done, total)
      if (rows.length < PAGE) return
      from = rows.at(-1)?.name ?? ''
    }
  }

  async #pull(): Promise<void> {
    const stage = (await this.store.state.get('state'))?.stage
    if (stage === undefined || stage === 'emptying' || stage === 'emptied') {
      this.#events.onGone?.()
      // The page is on its way out, and with it what it wanted to write.
      throw new Error('The vault is being turned off.')
    }
    await this.#take()
  }

  async #take(): Promise<void> {
    const rows = await this.store.records.where('seq').above(this.#seen).sortBy('seq')
    if (rows.length === 0) return
    const changes = await this.#apply(rows)
    this.#seen = rows.at(-1)?.seq ?? this.#seen
    this.#events.onChange?.(changes)
  }

  async #apply(rows: readonly SealedRecord[]): Promise<Change[]> {
    const changes = (await Promise.all(rows.map((row) => this.#changeOf(row)))).flatMap((change) => change ?? [])
    const tables = Map.groupBy(changes, ({ table }) => table)
    await this.#inner.transaction('rw', this.#inner.tables, async () => {
      for (const [name, all] of tables) {
        const table = this.#inner.table(name)
        await table.bulkPut(all.flatMap(({ record }) => record ?? []))
        await table.bulkDelete(all.flatMap(({ key, record }) => (record ? [] : [key])))
      }
    })
    return changes
  }

  async #changeOf({ name, sealed }: SealedRecord): Promise<Change | undefined> {
    if (!sealed) return this.#places.get(name)
    const plain = await decryptRecord(this.#keys, name, sealed)
    if (!plain) {
      this.damaged += 1
      return undefined
    }
    const { table, key, record } = recordOf(plain) as Entry
    this.#places.set(name, { table, key })
    return { table, key, record }
  }

  async #keep(places: readonly Place[]): Promise<void> {
    if (places.length === 0) return
    const changes = await this.#read(places)
    try {
      const rows = await Promise.all(changes.map((change) => this.#sealed(change)))
      await this.store.transaction('rw', this.store.records, this.store.counters, async () => {
        const seq = ((await this.store.counters.get('seq'))?.value ?? 0) + 1
        await this.store.counters.put({ id: 'seq', value: seq })
        await this.store.records.bulkPut(rows.map((row) => ({ ...row, seq })))
        this.#seen = seq
      })
    } catch (error) {
      await this.#undo(places)
      throw error
    }
    this.#events.onChange?.(changes)
    this.#events.onCommitted?.()
  }

  async #undo(places: readonly Place[]): Promise<void> {
    const names = await Promise.all(places.map(({ table, key }) => recordName(this.#keys, table, key)))
    const stored = await this.store.records.bulkGet(names).catch(() => [])
    await this.#apply(names.map((name, at) => stored[at] ?? { name, seq: 0 }))
  }

  async #read(places: readonly Place[]): Promise<Change[]> {
    const tables = Map.groupBy(places, ({ table }) => table)
    const read = [...tables].map(async ([table, all]) => {
      const records = await this.#inner.table(table).bulkGet(all.map(({ key }) => key))
      return all.map((place, at) => ({ ...place, record: records[at] }))
    })
    return (await Promise.all(read)).flat()
  }

  async #sealed({ table, key, record }: Change): Promise<Omit<SealedRecord, 'seq'>> {
    const name = await recordName(this.#keys, table, key)
    this.#places.set(name, { table, key })
    if (record === undefined) return { name }
    return { name, sealed: await encryptRecord(this.#keys, name, await recordBytes({ table, key, record })) }
  }

  #note(table: string, keys: readonly IndexableType[]): void {
    if (!this.#changed) throw new Error('A write went past the vault.')
    for (const key of keys) this.#changed.set(JSON.stringify([table, key]), { table, key })
  }

  #watched(core: DBCore): DBCore {
    return {
      ...core,
      table: (name) => {
        const table = core.table(name)
        return {
          ...table,
          mutate: (request) => {
            if (request.type !== 'deleteRange') {
              this.#note(name, keysIn(table, request))
              return table.mutate(request)
            }
            const query = { index: table.schema.primaryKey, range: request.range }
            return table.query({ trans: request.trans, values: false, query }).then(({ result }) => {
              this.#note(name, result)
              return table.mutate(request)
            })
          },
        }
      },
    }
  }
}

type SingleRequest = Exclude<DBCoreMutateRequest, { type: 'deleteRange' }>

function keysIn({ schema }: DBCoreTable, request: SingleRequest): readonly IndexableType[] {
  if (request.type === 'delete') return request.keys
  return request.keys ?? request.values.map((value) => schema.primaryKey.extractKey?.(value))
}

const VAULT_DATABASE = 'lagoon-vault'

/** An encrypted record. Without a ciphertext: a tombstone, until every tab has seen it. */
type SealedRecord = { name: string; seq: number; sealed?: Sealed }

/**
 * `filling`: plain records are moved in; each is in at least one of both. `emptying`: all is copied out, and the vault
 * is what counts. `emptied`: the copy is complete, and the vault may go.
 */
type VaultStage = 'filling' | 'on' | 'emptying' | 'emptied'

type VaultState = { id: 'state'; stage: VaultStage; wraps: Wrap[]; wrongTries: number; triedAt: number }

export class VaultStore extends Dexie {
  declare records: EntityTable<SealedRecord, 'name'>
  declare state: EntityTable<VaultState, 'id'>
  declare counters: EntityTable<{ id: string; value: number }, 'id'>

  constructor(name = VAULT_DATABASE) {
    super(name)
    this.version(1).stores({ records: 'name, seq', state: 'id', counters: 'id' })
  }
}
