import { Zip, ZipDeflate, ZipPassThrough } from 'fflate'
import { encrypt } from '@/components/history/archive/encryption'
import { PLAIN_TABLES, toJson } from '@/components/history/archive/shapes.lazy'
import type { HistoryDatabase } from '@/lib/browser/storage/database'

const BACKUP_FORMAT = 'lagoon-backup'
const BACKUP_VERSION = 1
const PAGE = 500

export type BackupOptions = { password?: string; onProgress?: (done: number, of: number) => void; signal?: AbortSignal }

/** Writes everything into one ZIP: JSON lines for each table, and the files as they are. */
export function backupBytes(
  database: HistoryDatabase,
  options: BackupOptions = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const zip = zipOf(database, options)
  return options.password ? encrypt(zip, options.password) : zip
}

async function* zipOf(
  database: HistoryDatabase,
  { onProgress, signal }: BackupOptions,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const out: Uint8Array<ArrayBuffer>[] = []
  const zip = new Zip((error, bytes) => {
    if (error) throw error
    // fflate makes its bytes in buffers of its own.
    out.push(bytes as Uint8Array<ArrayBuffer>)
  })
  const drain = () => out.splice(0)
  const counts = await Promise.all([...PLAIN_TABLES, 'blobs' as const].map((name) => database[name].count()))
  const total = counts.reduce((sum, count) => sum + count, 0)
  let done = 0
  const text = new TextEncoder()
  const tick = (count: number) => {
    done += count
    onProgress?.(done, total)
    signal?.throwIfAborted()
  }

  const manifest = new ZipDeflate('manifest.json')
  zip.add(manifest)
  const header = { format: BACKUP_FORMAT, version: BACKUP_VERSION, createdAt: new Date().toISOString() }
  manifest.push(text.encode(JSON.stringify(header)), true)
  for (const name of PLAIN_TABLES) {
    const file = new ZipDeflate(`tables/${name}.jsonl`, { level: 6 })
    zip.add(file)
    for await (const rows of pagesOf(database, name)) {
      file.push(text.encode(rows.map((row) => `${toJson(row)}\n`).join('')))
      tick(rows.length)
      yield* drain()
    }
    file.push(new Uint8Array(), true)
    yield* drain()
  }
  const hashes = await database.blobs.toCollection().primaryKeys()
  const types = new ZipDeflate('tables/blobs.jsonl')
  zip.add(types)
  for (const hash of hashes) {
    const blob = await database.blobs.get(hash)
    if (blob) types.push(text.encode(`${toJson({ hash, size: blob.size, type: blob.data.type })}\n`))
  }
  types.push(new Uint8Array(), true)
  yield* drain()
  for (const hash of hashes) {
    const blob = await database.blobs.get(hash)
    if (!blob) continue
    // Pictures and sound are packed already.
    const file = new ZipPassThrough(`blobs/${hash}`)
    zip.add(file)
    for await (const bytes of piecesOf(blob.data)) {
      file.push(bytes)
      yield* drain()
    }
    file.push(new Uint8Array(), true)
    tick(1)
    yield* drain()
  }
  zip.end()
  yield* drain()
}

async function* pagesOf(database: HistoryDatabase, name: (typeof PLAIN_TABLES)[number]): AsyncGenerator<object[]> {
  const table = database.table<object>(name)
  const { keyPath } = table.schema.primKey
  let last: unknown
  for (;;) {
    const from = last === undefined ? table.orderBy(':id') : table.where(':id').above(last)
    const rows = await from.limit(PAGE).toArray()
    if (rows.length > 0) yield rows
    const end = rows.at(-1)
    if (!end || rows.length < PAGE) return
    const field = (path: string) => Reflect.get(end, path)
    last = Array.isArray(keyPath) ? keyPath.map(field) : field(keyPath ?? 'id')
  }
}

const PIECE_BYTES = 1024 * 1024

export async function* piecesOf(blob: Blob): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < blob.size; at += PIECE_BYTES) {
    yield new Uint8Array(await blob.slice(at, at + PIECE_BYTES).arrayBuffer())
  }
}
