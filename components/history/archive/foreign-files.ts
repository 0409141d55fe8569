import { ArchiveError, LIMITS } from '@/components/history/archive/limits'
import { readDirectory, readEntry, type ZipEntry } from '@/components/history/archive/zip-directory'
import { isRecord } from '@/lib/browser/api'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { msg } from '@/lib/i18n/t'

/** A file that a message of another service brought along, as that service calls it. */
export type ForeignFile = {
  id: string
  name: string
  /** Where its bytes are: in the zip, or the words of a document that are part of the message. */
  source: ZipEntry | string
}

/** What ChatGPT calls its files: `file-` and letters, or `file_` and hexadecimals, at the start of a name. */
const FILE_ID = /^file[-_][A-Za-z0-9]{6,80}/
/** A table of what the files were called: `{ "file-….dat": "cat.png" }`. */
const NAMES = /(^|\/)conversation_asset_file_names\.json$/
const MAX_NAMES_BYTES = 16 * 1024 ** 2

/** The files that lie beside the chats in an export, found by what the messages call them. */
export class ForeignFiles {
  readonly #zip: Blob
  readonly #byId = new Map<string, ZipEntry>()
  /** `undefined` where several have the name. */
  readonly #byName = new Map<string, ZipEntry | undefined>()
  readonly #names = new Map<string, string>()
  #unpacked = 0

  private constructor(zip: Blob, entries: readonly ZipEntry[]) {
    this.#zip = zip
    for (const entry of entries) {
      const name = nameOf(entry.path)
      const id = FILE_ID.exec(name)?.[0]
      if (id && !this.#byId.has(id)) this.#byId.set(id, entry)
      this.#byName.set(name, this.#byName.has(name) ? undefined : entry)
      for (const [uuid] of name.matchAll(UUID)) this.#byId.set(uuid, entry)
    }
  }

  /** Those of a zip. */
  static async of(zip: Blob): Promise<ForeignFiles> {
    const entries = await readDirectory(zip)
    const files = new ForeignFiles(zip, entries)
    const table = entries.find(({ path }) => NAMES.test(path))
    if (table) await files.#readNames(table)
    return files
  }

  /** The file of that id, or else the only one of that name; `undefined` where the export lacks it. */
  find(id: string, name: string): ForeignFile | undefined {
    const source = this.#byId.get(id) ?? (name ? this.#byName.get(name) : undefined)
    if (!source) return undefined
    return { id, name: name || (this.#names.get(id) ?? plainName(nameOf(source.path), id)), source }
  }

  /** @returns its bytes; `undefined` where they are more than can be sent. @throws ArchiveError. */
  async read({ name, source }: ForeignFile): Promise<File | undefined> {
    if (typeof source === 'string') return new File([source], textName(name), { type: 'text/plain' })
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
    const names = text === undefined ? undefined : jsonOf(text)
    if (!isRecord(names)) return
    for (const [key, name] of Object.entries(names)) {
      const id = FILE_ID.exec(nameOf(key))?.[0]
      if (id && typeof name === 'string' && name) this.#names.set(id, nameOf(name).slice(0, MAX_NAME_CHARS))
    }
  }
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const MAX_NAME_CHARS = 200

/** The id in an address like `file-service://file-abc` or `sediment://file_0123?shared=…`. */
export const fileIdOf = (address: string): string | undefined =>
  FILE_ID.exec(address.slice(address.lastIndexOf('/') + 1))?.[0]

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** `file-abc-cat.png` is called cat.png; what has nothing but its id is called that. */
function plainName(name: string, id: string): string {
  const rest = name.startsWith(id) ? name.slice(id.length).replace(/^[-_]+/, '') : name
  return (rest.startsWith('.') || rest === '' ? name : rest).slice(0, MAX_NAME_CHARS)
}

/** The words of a PDF are no PDF. */
const textName = (name: string): string =>
  /\.(pdf|docx?|pptx?|xlsx?|odt|ods|odp|rtf|epub|pages|key|numbers)$/i.test(name) || !name.includes('.')
    ? `${name}.txt`
    : name

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
