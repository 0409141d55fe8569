import type { Readable } from 'node:stream'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { ExtractionError } from './parser-protocol.ts'
import { readXml } from './xml.ts'

const MAX_ENTRIES = 2_000
const MAX_BYTES = 200 * 1024 * 1024
const MAX_ENTRY_BYTES = 50 * 1024 * 1024
// Deflate reaches 1,032 to 1; text of real documents stays under 20, sparse sheets under 60.
const MAX_RATIO = 100
const RATIO_FLOOR_BYTES = 4 * 1024 * 1024

const LOCAL_HEADER_BYTES = 30

/**
 * Reads the entries of a ZIP file one at a time and never to disk. Names are looked up without regard to case.
 *
 * @throws ExtractionError `corrupt`, `encrypted`, `bomb`.
 */
export class Archive {
  readonly #zip: ZipFile
  readonly #entries: Map<string, Entry>
  #bytesOut = 0

  private constructor(zip: ZipFile, entries: Map<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
  }

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

export type OfficeType = 'docx' | 'pptx' | 'xlsx'

const MAX_RELATIONS = 10_000

// Documents, templates and shows, with and without macros, in both conformance classes.
const MAIN_PART: [OfficeType, RegExp][] = [
  ['docx', /wordprocessingml\.(?:document|template)\.main|ms-word\.(?:document|template)\.macroEnabled/i],
  ['pptx', /presentationml\.(?:presentation|slideshow|template)\.main|ms-powerpoint\..*macroEnabled\.main/i],
  ['xlsx', /spreadsheetml\.(?:sheet|template)\.main|ms-excel\.(?:sheet|template)\.macroEnabled\.main/i],
]
const USUAL_PART: [OfficeType, string][] = [
  ['docx', 'word/document.xml'],
  ['pptx', 'ppt/presentation.xml'],
  ['xlsx', 'xl/workbook.xml'],
]

export async function findMainPart(archive: Archive): Promise<{ type: OfficeType; part: string } | undefined> {
  if (!archive.has('[Content_Types].xml')) return
  const found: { type: OfficeType; part: string }[] = []
  await readXml(archive.read('[Content_Types].xml'), {
    open(name, attributes) {
      if (name !== 'Override' || found.length > 0) return
      const contentType = attributes.get('ContentType') ?? ''
      const part = (attributes.get('PartName') ?? '').replace(/^\//, '')
      for (const [type, pattern] of MAIN_PART) {
        if (pattern.test(contentType) && archive.has(part)) found.push({ type, part })
      }
    },
  })
  if (found[0]) return found[0]
  for (const [type, part] of USUAL_PART) if (archive.has(part)) return { type, part }
}

export type Relation = { id: string; type: string; target: string; isExternal: boolean }

/**
 * Reads the references of a part by id. Targets inside the archive are full names; those outside are never followed.
 */
export async function relationsOf(archive: Archive, part: string): Promise<Map<string, Relation>> {
  const slash = part.lastIndexOf('/')
  const folder = part.slice(0, slash + 1)
  const name = `${folder}_rels/${part.slice(slash + 1)}.rels`
  const relations = new Map<string, Relation>()
  if (!archive.has(name)) return relations
  await readXml(archive.read(name), {
    open(element, attributes) {
      if (element !== 'Relationship' || relations.size >= MAX_RELATIONS) return
      const id = attributes.get('Id') ?? ''
      const type = (attributes.get('Type') ?? '').split('/').at(-1) ?? ''
      const isExternal = attributes.get('TargetMode') === 'External'
      const target = attributes.get('Target') ?? ''
      relations.set(id, { id, type, target: isExternal ? target : insideName(folder, target), isExternal })
    },
  })
  return relations
}

export function relationOfType(relations: Map<string, Relation>, type: string): Relation | undefined {
  for (const relation of relations.values()) if (relation.type === type && !relation.isExternal) return relation
}

export function insideName(folder: string, target: string): string {
  const path = target.startsWith('/') ? target : `/${folder}${target}`
  const parts: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') parts.pop()
    else if (segment !== '' && segment !== '.') parts.push(segment)
  }
  return parts.join('/')
}
