import { ArchiveError, LIMITS } from '@/components/history/archive/limits'
import { isRecord } from '@/lib/browser/api'
import { FileRefused } from '@/lib/browser/files/limits'
import { readFile } from '@/lib/browser/files/read-file'
import { keepBlobIn } from '@/lib/browser/storage/blobs'
import type { HistoryDatabase } from '@/lib/browser/storage/database'
import type { Attachment } from '@/lib/browser/storage/records'
import { decompress } from '@/lib/browser/streams'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { msg } from '@/lib/i18n/t'

export type ForeignFile = { id: string; name: string; source: ZipEntry | string }

/** ChatGPT's file ids: `file-` and letters, or `file_` and hexadecimals, at the start of a name. */
const FILE_ID = /^file[-_][A-Za-z0-9]{6,80}/
/** A table of the original names: `{ "file-….dat": "cat.png" }`. */
const NAMES = /(^|\/)conversation_asset_file_names\.json$/
const MAX_NAMES_BYTES = 16 * 1024 ** 2

export class ForeignFiles {
  readonly #zip: Blob
  readonly #byId = new Map<string, ZipEntry>()
  readonly #byName = new Map<string, ZipEntry | undefined>()
  readonly #names = new Map<string, string>()
  #unpacked = 0

  private constructor(zip: Blob, entries: readonly ZipEntry[]) {
    this.#zip = zip
    for (const entry of entries) {
      const name = baseName(entry.path)
      const id = FILE_ID.exec(name)?.[0]
      if (id && !this.#byId.has(id)) this.#byId.set(id, entry)
      this.#byName.set(name, this.#byName.has(name) ? undefined : entry)
      for (const [uuid] of name.matchAll(UUID)) this.#byId.set(uuid, entry)
    }
  }

  static async of(zip: Blob): Promise<ForeignFiles> {
    const entries = await readDirectory(zip)
    const files = new ForeignFiles(zip, entries)
    const table = entries.find(({ path }) => NAMES.test(path))
    if (table) await files.#readNames(table)
    return files
  }

  find(id: string, name: string): ForeignFile | undefined {
    const source = this.#byId.get(id) ?? (name ? this.#byName.get(name) : undefined)
    if (!source) return undefined
    return { id, name: name || (this.#names.get(id) ?? plainName(baseName(source.path), id)), source }
  }

  /** Returns a file, or `undefined` where it is too large to be sent. @throws ArchiveError. */
  async read({ name, source }: ForeignFile): Promise<File | undefined> {
    if (typeof source === 'string') return new File([source], textFileName(name), { type: 'text/plain' })
    const bytes = await readEntry(this.#zip, source, MAX_FILE_BYTES)
    if (!bytes) return undefined
    this.#unpacked += bytes.size
    // Entries may lie on top of each other: what comes out is counted, not what is said of it.
    if (this.#unpacked > Math.min(LIMITS.unpacked, Math.max(LIMITS.ratioFloor, this.#zip.size * LIMITS.ratio))) {
      throw new ArchiveError('too-large', msg('The ZIP file unpacks to far more data than a chat history.'))
    }
    return new File([bytes], name)
  }

  async #readNames(table: ZipEntry): Promise<void> {
    const text = await (await readEntry(this.#zip, table, MAX_NAMES_BYTES))?.text()
    const names = text === undefined ? undefined : parseJson(text)
    if (!isRecord(names)) return
    for (const [key, name] of Object.entries(names)) {
      const id = FILE_ID.exec(baseName(key))?.[0]
      if (id && typeof name === 'string' && name) this.#names.set(id, baseName(name).slice(0, MAX_NAME_CHARS))
    }
  }
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const MAX_NAME_CHARS = 200

/** Extracts the id from an address like `file-service://file-abc` or `sediment://file_0123?shared=…`. */
export const fileIdOf = (address: string): string | undefined =>
  FILE_ID.exec(address.slice(address.lastIndexOf('/') + 1))?.[0]

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

function plainName(name: string, id: string): string {
  const rest = name.startsWith(id) ? name.slice(id.length).replace(/^[-_]+/, '') : name
  return (rest.startsWith('.') || rest === '' ? name : rest).slice(0, MAX_NAME_CHARS)
}

const textFileName = (name: string): string =>
  /\.(pdf|docx?|pptx?|xlsx?|odt|ods|odp|rtf|epub|pages|key|numbers)$/i.test(name) || !name.includes('.')
    ? `${name}.txt`
    : name

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type ZipEntry = { path: string; method: number; packedSize: number; size: number; offset: number }

/** Signatures, sizes and offsets of fields. Source: APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16. */
const END = { signature: 0x06054b50, size: 22, count: 10, length: 12, offset: 16 }
const ENTRY = { signature: 0x02014b50, size: 46, flags: 8, method: 10, packed: 20, unpacked: 24, name: 28, offset: 42 }
const LOCAL = { signature: 0x04034b50, size: 30, name: 26, extra: 28 }
const MAX_COMMENT = 0xffff
const MAX_DIRECTORY_BYTES = 64 * 1024 ** 2
const STORED = 0
const DEFLATED = 8
const IS_ENCRYPTED = 1

/** Lists the files of a ZIP without unpacking it; none where its directory is cut off or ZIP64. */
export async function readDirectory(zip: Blob): Promise<ZipEntry[]> {
  const tail = await viewOf(zip, Math.max(0, zip.size - END.size - MAX_COMMENT), zip.size)
  let end = tail.byteLength - END.size
  while (end >= 0 && tail.getUint32(end, true) !== END.signature) end -= 1
  if (end < 0) return []
  const count = Math.min(tail.getUint16(end + END.count, true), LIMITS.entries)
  const length = tail.getUint32(end + END.length, true)
  const start = tail.getUint32(end + END.offset, true)
  if (length > MAX_DIRECTORY_BYTES || start + length > zip.size) return []
  return entriesOf(await viewOf(zip, start, start + length), count)
}

function entriesOf(directory: DataView<ArrayBuffer>, count: number): ZipEntry[] {
  const text = new TextDecoder()
  const entries: ZipEntry[] = []
  let at = 0
  while (entries.length < count && at + ENTRY.size <= directory.byteLength) {
    if (directory.getUint32(at, true) !== ENTRY.signature) break
    const short = (field: number) => directory.getUint16(at + field, true)
    const long = (field: number) => directory.getUint32(at + field, true)
    const [nameLength, extraLength, commentLength] = [short(ENTRY.name), short(ENTRY.name + 2), short(ENTRY.name + 4)]
    const next = at + ENTRY.size + nameLength + extraLength + commentLength
    if (next > directory.byteLength) break
    entries.push({
      path: text.decode(new Uint8Array(directory.buffer, at + ENTRY.size, nameLength)),
      // What is encrypted is nothing that is read here.
      method: short(ENTRY.flags) & IS_ENCRYPTED ? -1 : short(ENTRY.method),
      packedSize: long(ENTRY.packed),
      size: long(ENTRY.unpacked),
      offset: long(ENTRY.offset),
    })
    at = next
  }
  return entries
}

/**
 * Unpacks one file of a ZIP; `undefined` where it holds more than `mostBytes`, or is packed in another way. @throws
 * ArchiveError when the ZIP is damaged there.
 */
export async function readEntry(zip: Blob, entry: ZipEntry, maxBytes: number): Promise<Blob | undefined> {
  if (entry.size > maxBytes || (entry.method !== STORED && entry.method !== DEFLATED)) return undefined
  const head = await viewOf(zip, entry.offset, entry.offset + LOCAL.size)
  if (head.byteLength < LOCAL.size || head.getUint32(0, true) !== LOCAL.signature) throw damaged()
  const start = entry.offset + LOCAL.size + head.getUint16(LOCAL.name, true) + head.getUint16(LOCAL.extra, true)
  const packed = zip.slice(start, start + entry.packedSize)
  if (packed.size < entry.packedSize) throw damaged()
  return entry.method === STORED ? new Blob([await packed.arrayBuffer()]) : inflated(packed, maxBytes)
}

async function inflated(packed: Blob, maxBytes: number): Promise<Blob | undefined> {
  try {
    return await decompress(packed, 'deflate-raw', maxBytes)
  } catch (error) {
    throw damaged(error)
  }
}

async function viewOf(blob: Blob, start: number, end: number): Promise<DataView<ArrayBuffer>> {
  return new DataView(await blob.slice(start, end).arrayBuffer())
}

const damaged = (cause?: unknown) =>
  Object.assign(new ArchiveError('invalid', msg('The ZIP file is damaged or incomplete.')), { cause })

type SavedFiles = { added: number; refused: number }

export class KeepFiles {
  readonly #database: HistoryDatabase
  readonly #files: ForeignFiles
  /** By file of the ZIP; `undefined`: refused. Versions of a message share theirs. */
  readonly #read = new Map<string, Attachment | undefined>()

  constructor(database: HistoryDatabase, files: ForeignFiles) {
    this.#database = database
    this.#files = files
  }

  get paths(): ReadonlySet<string> {
    return new Set([...this.#read].flatMap(([path, attachment]) => (attachment ? [path] : [])))
  }

  /**
   * Stores the files that a message lacks, one at a time, and adds them to it. @throws ArchiveError where the ZIP is
   * damaged; the signal's reason; DOMException when storage is full.
   */
  async keep(messageId: string, files: readonly ForeignFile[], signal = NEVER): Promise<SavedFiles> {
    const { messages, parts } = this.#database
    const message = await messages.get(messageId)
    const here = message?.attachments ?? []
    const added: Attachment[] = []
    const refused: ForeignFile[] = []
    for (const file of message ? files : []) {
      const id = idOf(file)
      if (here.some((attachment) => attachment.id === id)) continue
      const attachment = await this.#attachmentOf(file, signal)
      if (attachment) added.push({ ...attachment, id })
      else refused.push(file)
    }
    if (added.length > 0) await messages.update(messageId, { attachments: [...here, ...added] })
    const isBare = message !== undefined && here.length + added.length === 0
    if (isBare && refused.length > 0 && !(await parts.get([messageId, 1]))) {
      // A message that was nothing but a file is at least its name.
      const payload = refused.map(({ name }) => name).join('\n')
      await parts.put({ messageId, conversationId: message.conversationId, i: 1, type: 'text', payload })
    }
    return { added: added.length, refused: refused.length }
  }

  async #attachmentOf(file: ForeignFile, signal: AbortSignal): Promise<Attachment | undefined> {
    if (typeof file.source === 'string') return this.#readIn(file, signal)
    const { path } = file.source
    if (!this.#read.has(path)) this.#read.set(path, await this.#readIn(file, signal))
    const attachment = this.#read.get(path)
    return attachment && { ...attachment, name: file.name }
  }

  async #readIn(foreign: ForeignFile, signal: AbortSignal): Promise<Attachment | undefined> {
    const file = await this.#files.read(foreign)
    if (!file) return undefined
    const keep = (blob: Blob) => keepBlobIn(this.#database, blob)
    try {
      return (await readFile(file, signal, undefined, { keep })).attachment
    } catch (error) {
      if (error instanceof FileRefused) return undefined
      throw error
    }
  }
}

const NEVER = new AbortController().signal
const MAX_ID_CHARS = 64

const idOf = ({ id, name }: ForeignFile): string => `foreign-${id || name}`.slice(0, MAX_ID_CHARS)
