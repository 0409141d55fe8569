import type { ForeignFile, ForeignFiles } from '@/components/history/archive/foreign-files'
import { FileRefused } from '@/lib/browser/files/file-refused'
import { readFile } from '@/lib/browser/files/read-file'
import { keepBlobIn } from '@/lib/browser/storage/blobs'
import type { HistoryDatabase } from '@/lib/browser/storage/database'
import type { Attachment } from '@/lib/browser/storage/records'

/** How many files of a message are new here, and how many are nothing that a question could bring along. */
export type Kept = { added: number; refused: number }

/** Gives stored messages the files that they brought along elsewhere, as if a person had chosen them here. */
export class KeepFiles {
  readonly #database: HistoryDatabase
  readonly #files: ForeignFiles
  /** What became of a file of the zip; `undefined`: refused. Versions of a message share theirs. */
  readonly #read = new Map<string, Attachment | undefined>()

  constructor(database: HistoryDatabase, files: ForeignFiles) {
    this.#database = database
    this.#files = files
  }

  /** The files of the zip that belong to messages. */
  get paths(): ReadonlySet<string> {
    return new Set([...this.#read].flatMap(([path, attachment]) => (attachment ? [path] : [])))
  }

  /**
   * Keeps the bytes of those that the message lacks, one at a time, and adds them to it.
   *
   * @throws ArchiveError where the zip is damaged; the signal's reason; DOMException when storage is full.
   */
  async keep(messageId: string, files: readonly ForeignFile[], signal = NEVER): Promise<Kept> {
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

/** The same each time, so that a second import adds nothing. */
const idOf = ({ id, name }: ForeignFile): string => `foreign-${id || name}`.slice(0, MAX_ID_CHARS)
