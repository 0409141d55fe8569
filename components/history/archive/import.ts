import { piecesOf } from '@/components/history/archive/backup'
import { decrypt, isEncrypted } from '@/components/history/archive/encryption'
import { type Converted, type FindFile, fromChatGpt, fromClaude } from '@/components/history/archive/foreign-chats'
import { ForeignFiles, KeepFiles } from '@/components/history/archive/foreign-files'
import { ArchiveError, LIMITS } from '@/components/history/archive/limits'
import {
  ConversationShape,
  fromJson,
  MessageShape,
  PartShape,
  type PlainTable,
  ReceiptShape,
  revive,
  SHAPES,
} from '@/components/history/archive/shapes.lazy'
import { jsonItems, lines, type Sink, unzip, wholeFile } from '@/components/history/archive/sinks'
import { takeBlob, takeRecords, takeThreads } from '@/components/history/archive/take'
import { isRecord } from '@/lib/browser/api'
import type { StoredThread } from '@/lib/browser/storage/chats'
import type { HistoryDatabase } from '@/lib/browser/storage/database'
import { msg } from '@/lib/i18n/t'

type FileReport = { name: string; isImported: boolean; chats: number; why?: string }

export type ImportReport = {
  format: 'backup' | 'chats' | 'ChatGPT' | 'Claude' | 'nothing'
  added: number
  known: number
  messages: number
  attached: number
  refused: number
  leftOut: [what: string, count: number][]
  files: FileReport[]
  isCut?: boolean
}

export type ImportOptions = {
  password?: string | undefined
  onProgress?: (done: number, of: number) => void
  signal?: AbortSignal
}

const BATCH = 200
const MAX_FILES_NAMED = 200
const CONVERSATIONS = /(^|\/)conversations(-\d{1,6})?\.json$/

/**
 * Imports our backup, our JSON, or an export of ChatGPT or Claude, zipped or not. It is read as a stream and checked
 * record by record; a second import adds nothing. @throws ArchiveError when the file is none of these, is damaged, or
 * needs a password.
 */
export async function importFile(
  file: File,
  database: HistoryDatabase,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const { password, onProgress, signal } = options
  if (file.size > LIMITS.file) throw new ArchiveError('too-large', msg('The file is larger than 2 GB.'))
  const start = new Uint8Array(await file.slice(0, 64).arrayBuffer())
  let source: AsyncIterable<Uint8Array<ArrayBuffer>> = counted(file, onProgress)
  let isZip = start[0] === 0x50 && start[1] === 0x4b
  const isForeign = isZip
  if (isEncrypted(start)) {
    if (!password) throw new ArchiveError('password', msg('Enter the password of this backup.'))
    source = decrypt(source, password)
    isZip = true
  }
  const files = await ForeignFiles.of(isForeign ? file : new Blob())
  const intake = new Intake(database, file.name, files)
  const sink = isZip ? unzip((name) => intake.open(name), file.size) : jsonItems((item) => intake.chat(item))
  try {
    for await (const bytes of source) {
      signal?.throwIfAborted()
      sink.write(bytes)
      await intake.flush(BATCH, signal)
    }
    sink.end()
    await intake.flush(1, signal)
  } catch (error) {
    if (!signal?.aborted) throw error
    return { ...intake.report(), isCut: true }
  }
  return intake.report()
}

type Taking = Pick<Converted, 'thread' | 'files'>

const REFUSED_FILES = 'files that cannot be read or sent'

class Intake {
  readonly #database: HistoryDatabase
  readonly #report: ImportReport = {
    format: 'nothing',
    added: 0,
    known: 0,
    messages: 0,
    attached: 0,
    refused: 0,
    leftOut: [],
    files: [],
  }
  readonly #leftOut = new Map<string, number>()
  readonly #types = new Map<string, string>()
  readonly #rows = new Map<PlainTable, object[]>()
  readonly #find: FindFile
  readonly #keeper: KeepFiles
  #threads: Taking[] = []
  #blobs: { hash: string; data: Blob }[] = []
  #file: FileReport

  constructor(database: HistoryDatabase, name: string, files: ForeignFiles) {
    this.#database = database
    this.#find = (id, called) => files.find(id, called)
    this.#keeper = new KeepFiles(database, files)
    this.#file = { name, isImported: false, chats: 0 }
    this.#report.files.push(this.#file)
  }

  open(path: string): Sink | undefined {
    const name = path.slice(0, 300)
    const report: FileReport = { name, isImported: true, chats: 0 }
    const keep = () => {
      if (this.#report.files.length < MAX_FILES_NAMED && !name.startsWith('blobs/')) this.#report.files.push(report)
    }
    if (CONVERSATIONS.test(path)) {
      keep()
      return jsonItems((item) => {
        this.#file = report
        this.chat(item)
      })
    }
    const table = /^tables\/(\w{1,20})\.jsonl$/.exec(path)?.[1]
    if (table === 'blobs') return lines((line) => this.#type(line))
    if (table !== undefined && Object.hasOwn(SHAPES, table)) {
      keep()
      return lines((line) => this.#row(table as PlainTable, line))
    }
    const hash = /^blobs\/([0-9a-f]{64})$/.exec(path)?.[1]
    if (hash) return wholeFile((data) => this.#blobs.push({ hash, data }))
    if (path === 'manifest.json') return jsonItems(() => undefined)
    if (!path.endsWith('/')) {
      report.isImported = false
      report.why = msg('Contains no chats.')
      keep()
    }
    return undefined
  }

  chat(item: unknown): void {
    if (!isRecord(item)) return
    if (Array.isArray(item.messages) && isRecord(item.conversation)) this.#own(item)
    else if (isRecord(item.mapping)) this.#foreign('ChatGPT', () => fromChatGpt(item, Date.now(), this.#find))
    else if (Array.isArray(item.chat_messages)) this.#foreign('Claude', () => fromClaude(item, Date.now(), this.#find))
  }

  async flush(min: number, signal?: AbortSignal): Promise<void> {
    const parts = this.#threads.reduce((sum, { thread }) => sum + thread.parts.length, 0)
    if (this.#threads.length >= min || parts > BATCH) await this.#flushThreads(signal)
    for (const [name, rows] of this.#rows) {
      if (rows.length < min) continue
      const accepted = await takeRecords(this.#database, name, rows)
      if (name === 'conversations') {
        this.#report.added += accepted.added
        this.#report.known += accepted.known
      } else if (name === 'messages') this.#report.messages += accepted.added
      rows.length = 0
    }
    for (const { hash, data } of this.#blobs.splice(0)) await this.#keepBlob(hash, data)
  }

  async #flushThreads(signal: AbortSignal | undefined): Promise<void> {
    const threads = this.#threads.splice(0)
    const accepted = await takeThreads(
      this.#database,
      threads.map(({ thread }) => thread),
    )
    this.#report.added += accepted.added
    this.#report.known += accepted.known
    this.#report.messages += accepted.messages
    for (const { files } of threads) {
      for (const [messageId, brought] of files) {
        const saved = await this.#keeper.keep(messageId, brought, signal)
        this.#report.attached += saved.added
        if (saved.refused > 0) this.#leave(REFUSED_FILES, saved.refused)
      }
    }
  }

  report(): ImportReport {
    const { files } = this.#report
    if (this.#report.format === 'nothing') {
      throw new ArchiveError('invalid', msg('This file contains no readable chats.'))
    }
    const { paths } = this.#keeper
    const inside = (files.length > 1 ? files.slice(1) : files).map(
      (file): FileReport => (paths.has(file.name) ? { name: file.name, isImported: true, chats: 0 } : file),
    )
    return { ...this.#report, files: inside, leftOut: [...this.#leftOut] }
  }

  #own(item: Record<string, unknown>): void {
    this.#report.format = 'chats'
    const given = revive(item) as Record<string, unknown>
    const conversation = ConversationShape.safeParse(given.conversation)
    const list = (name: string) => (Array.isArray(given[name]) ? (given[name] as unknown[]) : [])
    const messages = list('messages').map((row) => MessageShape.safeParse(row))
    const parts = list('parts').map((row) => PartShape.safeParse(row))
    const receipts = list('receipts').map((row) => ReceiptShape.safeParse(row))
    if (!conversation.success || messages.length > LIMITS.messages) {
      this.#report.refused += 1
      return
    }
    const { id } = conversation.data as StoredThread['conversation']
    // Shapes say what the records are; a record of another chat has no place in this one.
    const of = <T extends { conversationId: string }>(results: { success: boolean; data?: unknown }[]): T[] =>
      results.flatMap(({ success, data }) => (success && (data as T).conversationId === id ? [data as T] : []))
    this.#thread({
      conversation: conversation.data as StoredThread['conversation'],
      messages: of(messages),
      parts: of(parts),
      receipts: of(receipts),
    })
  }

  #foreign(format: 'ChatGPT' | 'Claude', convert: () => Converted | undefined): void {
    this.#report.format = format
    const converted = convert()
    if (!converted) {
      this.#report.refused += 1
      return
    }
    for (const [what, count] of converted.leftOut) this.#leave(what, count)
    this.#thread(converted.thread, converted.files)
  }

  #thread(thread: StoredThread, files: Converted['files'] = new Map()): void {
    this.#file.isImported = true
    this.#file.chats += 1
    this.#threads.push({ thread, files })
  }

  #leave(what: string, count: number): void {
    this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + count)
  }

  #row(name: PlainTable, line: string): void {
    this.#report.format = 'backup'
    const row = parsed(line)
    const checked = row === undefined ? undefined : SHAPES[name].safeParse(row)
    if (!checked?.success) {
      this.#report.refused += 1
      return
    }
    const rows = this.#rows.get(name) ?? []
    rows.push(checked.data)
    this.#rows.set(name, rows)
  }

  #type(line: string): void {
    const row = parsed(line)
    if (isRecord(row) && typeof row.hash === 'string' && typeof row.type === 'string') {
      this.#types.set(row.hash, row.type.slice(0, 200))
    }
  }

  async #keepBlob(hash: string, data: Blob): Promise<void> {
    const typed = new Blob([data], { type: this.#types.get(hash) ?? '' })
    if (!(await takeBlob(this.#database, hash, typed))) this.#report.refused += 1
  }
}

function parsed(line: string): unknown {
  try {
    return fromJson(line)
  } catch {
    return undefined
  }
}

async function* counted(file: Blob, onProgress: ImportOptions['onProgress']) {
  let done = 0
  for await (const bytes of piecesOf(file)) {
    yield bytes
    done += bytes.length
    onProgress?.(done, file.size)
  }
}
