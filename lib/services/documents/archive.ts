import type { Readable } from 'node:stream'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { ExtractionError } from './parser-protocol.ts'

const MAX_ENTRIES = 2_000
const MAX_BYTES = 200 * 1024 * 1024
const MAX_ENTRY_BYTES = 50 * 1024 * 1024
/** Deflate reaches 1,032 to 1; text of real documents stays under 20, sparse sheets under 60. */
const MAX_RATIO = 100
const RATIO_FLOOR_BYTES = 4 * 1024 * 1024

const LOCAL_HEADER_BYTES = 30

/** Reads the entries of a ZIP file one at a time and never to disk. Names are looked up without regard to case. */
export class Archive {
  readonly #zip: ZipFile
  readonly #entries: Map<string, Entry>
  #bytesOut = 0

  private constructor(zip: ZipFile, entries: Map<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

  /** @throws ExtractionError `corrupt`, `encrypted` or `bomb`. */
  static async open(bytes: Uint8Array): Promise<Archive> {
    const zip = await openZip(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
    if (zip.entryCount > MAX_ENTRIES) throw new ExtractionError('bomb')
    const entries = await listEntries(zip)
    refuseOverlaps(entries)
    // An entry that is met twice is what the last one says, as programs that write archives in place mean it.
    return new Archive(zip, new Map(entries.map((entry) => [entry.fileName.toLowerCase(), entry])))
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase())
  }

  /** Unpacks an entry. @throws ExtractionError when it is missing, broken or beyond a bound. */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(name.toLowerCase())
    if (!entry) throw new ExtractionError('corrupt')
    let entryBytes = 0
    try {
      for await (const chunk of await this.#open(entry)) {
        entryBytes += chunk.length
        this.#bytesOut += chunk.length
        const isExpanding = entryBytes > RATIO_FLOOR_BYTES && entryBytes > entry.compressedSize * MAX_RATIO
        if (entryBytes > MAX_ENTRY_BYTES || this.#bytesOut > MAX_BYTES || isExpanding) throw new ExtractionError('bomb')
        yield chunk
      }
    } catch (error) {
      throw error instanceof ExtractionError ? error : new ExtractionError('corrupt', { cause: error })
    }
  }

  /** Reads a whole entry. @throws ExtractionError `bomb` beyond `maxBytes`. */
  async bytes(name: string, maxBytes: number): Promise<Buffer> {
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of this.read(name)) {
      length += chunk.length
      if (length > maxBytes) throw new ExtractionError('bomb')
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  #open(entry: Entry): Promise<Readable> {
    return new Promise((resolve, reject) => {
      this.#zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)))
    })
  }
}

function openZip(buffer: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(buffer, { lazyEntries: true }, (error, zip) =>
      error ? reject(new ExtractionError('corrupt', { cause: error })) : resolve(zip),
    )
  })
}

function listEntries(zip: ZipFile): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = []
    zip.on('error', (error) => reject(new ExtractionError('corrupt', { cause: error })))
    zip.on('end', () => resolve(entries))
    zip.on('entry', (entry: Entry) => {
      if (entry.isEncrypted()) return reject(new ExtractionError('encrypted'))
      if (entries.push(entry) > MAX_ENTRIES) return reject(new ExtractionError('bomb'))
      zip.readEntry()
    })
    zip.readEntry()
  })
}

function refuseOverlaps(entries: Entry[]): void {
  const sorted = [...entries].sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)
  let end = 0
  for (const entry of sorted) {
    if (entry.relativeOffsetOfLocalHeader < end) throw new ExtractionError('bomb')
    end = entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.compressedSize
  }
}
