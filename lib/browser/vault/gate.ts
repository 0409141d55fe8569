import { Dexie, type DexieOptions } from 'dexie'

export type Memory = { indexedDB: IDBFactory; IDBKeyRange: typeof IDBKeyRange }

export type Writer = <T>(write: () => PromiseLike<T>) => Promise<T>

const TABLE_WRITES = [
  'add',
  'put',
  'update',
  'upsert',
  'delete',
  'clear',
  'bulkAdd',
  'bulkPut',
  'bulkUpdate',
  'bulkDelete',
]
const COLLECTION_WRITES = ['modify', 'delete']

/**
 * A database that waits: requests are made once the vault is open. From then on it is in memory, and every write goes
 * through the writer, which encrypts it.
 */
export class VaultGate {
  readonly #memory = Promise.withResolvers<Memory>()
  readonly #writer = Promise.withResolvers<Writer>()
  #ranges: typeof IDBKeyRange | undefined

  open(memory: Memory, writer: Writer): void {
    this.#ranges = memory.IDBKeyRange
    this.#writer.resolve(writer)
    this.#memory.resolve(memory)
  }

  get options(): DexieOptions {
    const ranges = () => this.#ranges ?? globalThis.IDBKeyRange
    return {
      indexedDB: {
        open: (name: string, version?: number) => lateRequest(this.#memory.promise, name, version),
        databases: async () => [],
      } as unknown as IDBFactory,
      IDBKeyRange: {
        only: (key: IDBValidKey) => ranges().only(key),
        lowerBound: (key: IDBValidKey, isOpen?: boolean) => ranges().lowerBound(key, isOpen),
        upperBound: (key: IDBValidKey, isOpen?: boolean) => ranges().upperBound(key, isOpen),
        bound: (from: IDBValidKey, to: IDBValidKey, isFromOpen?: boolean, isToOpen?: boolean) =>
          ranges().bound(from, to, isFromOpen, isToOpen),
      } as unknown as typeof IDBKeyRange,
    }
  }

  /** Sends the writes of a database through the writer: whole transactions, and single writes. */
  guard<Database extends Dexie>(database: Database): Database {
    const begin = database.transaction.bind(database) as (...args: unknown[]) => PromiseLike<unknown>
    const guarded = (mode: string, ...rest: unknown[]): Promise<unknown> | PromiseLike<unknown> => {
      const isTop = Dexie.currentTransaction?.db !== database
      if (mode.startsWith('r') && !mode.startsWith('rw') && mode !== 'readwrite') return begin(mode, ...rest)
      if (!isTop) return begin(mode, ...rest)
      // Not within the zone of the caller: it may be one that ends before its turn has come.
      const done = Dexie.ignoreTransaction(() =>
        this.#writer.promise.then((writer) => writer(() => begin(mode, ...rest))),
      )
      return Dexie.Promise.resolve(done)
    }
    Object.assign(database, { transaction: guarded })
    wrapWrites(database.Table.prototype, TABLE_WRITES, database, guarded)
    wrapWrites(database.Collection.prototype, COLLECTION_WRITES, database, guarded)
    return database
  }
}

type Guarded = (mode: string, ...rest: unknown[]) => PromiseLike<unknown>

function wrapWrites(prototype: object, names: readonly string[], database: Dexie, guarded: Guarded): void {
  const methods = prototype as Record<string, ((...args: unknown[]) => PromiseLike<unknown>) | undefined>
  for (const name of names) {
    const write = methods[name]
    if (!write) continue
    methods[name] = function (this: unknown, ...args: unknown[]) {
      if (Dexie.currentTransaction?.db === database) return write.apply(this, args)
      return guarded('rw', database.tables, () => write.apply(this, args))
    }
  }
}

function lateRequest(memory: Promise<Memory>, name: string, version?: number): IDBOpenDBRequest {
  let real: IDBOpenDBRequest | undefined
  const late = {
    onsuccess: undefined as ((event: Event) => void) | undefined,
    onerror: undefined as ((event: Event) => void) | undefined,
    onblocked: undefined as ((event: Event) => void) | undefined,
    onupgradeneeded: undefined as ((event: Event) => void) | undefined,
    get result() {
      return real?.result
    },
    get error() {
      return real?.error
    },
    get transaction() {
      return real?.transaction
    },
  }
  void memory.then(({ indexedDB }) => {
    real = indexedDB.open(name, version)
    real.onsuccess = (event) => late.onsuccess?.(event)
    real.onerror = (event) => late.onerror?.(event)
    real.onblocked = (event) => late.onblocked?.(event)
    real.onupgradeneeded = (event) => late.onupgradeneeded?.(event)
  })
  return late as unknown as IDBOpenDBRequest
}
