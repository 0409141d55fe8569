import { type Archive, relationOfType, relationsOf } from './archive.ts'
import { ExtractionError } from './parser-protocol.ts'
import { markdownTable, SinkFull, type TextSink } from './text.ts'
import { readXml } from './xml.ts'

/**
 * Writes the sheets of a workbook as Markdown tables, with the values that were last computed, or the formula of one
 * that never was.
 */
export async function readXlsx(archive: Archive, part: string, sink: TextSink): Promise<void> {
  const workbook = await readWorkbook(archive, part)
  for (const sheet of workbook.sheets) {
    if (archive.has(sheet.part)) await readSheet(archive, sheet, workbook, sink)
  }
}

async function readSheet(archive: Archive, sheet: Sheet, workbook: Workbook, sink: TextSink): Promise<void> {
  const rows = new SheetRows(sink, sheet.name, sheet.isHidden)
  let column = -1
  let type = 'n'
  let style = 0
  let value = ''
  let isValue = false
  let formula = ''
  let isFormula = false
  let phonetic = 0

  await readXml(archive.read(sheet.part), {
    open(name, attributes) {
      if (name === 'row') column = -1
      else if (name === 'c') {
        column = columnOf(attributes.get('r')) ?? column + 1
        type = attributes.get('t') ?? 'n'
        style = Number(attributes.get('s') ?? 0)
        value = ''
        formula = ''
      } else if (name === 'f') isFormula = true
      else if (name === 'rPh') phonetic++
      else if (name === 'v' || name === 't') isValue = phonetic === 0
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false
      else if (name === 'f') isFormula = false
      else if (name === 'rPh') phonetic--
      else if (name === 'c')
        rows.cell(column, value === '' && formula !== '' ? `=${formula}` : cellText(type, style, value, workbook))
      else if (name === 'row') rows.endRow()
    },
    text(text) {
      if (isValue) value += text
      else if (isFormula) formula += text
    },
  })
  rows.end()
}

function cellText(type: string, style: number, value: string, { strings, kinds, is1904 }: Workbook): string {
  if (type === 's') return strings[Number(value)] ?? ''
  if (type === 'b') return value === '' ? '' : value.trim() === '1' ? 'TRUE' : 'FALSE'
  if (type === 'n') return formatNumber(value, kinds[style] ?? 'number', is1904)
  return value
}

function columnOf(address: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(address ?? '')?.[0]
  if (letters === undefined) return
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

type Sheet = { name: string; part: string; isHidden: boolean }
type Workbook = { sheets: Sheet[]; is1904: boolean; strings: string[]; kinds: NumberKind[] }

const MAX_SHEETS = 500
const MAX_STRINGS = 1_000_000
const MAX_STRING_CHARS = 32 * 1024 * 1024
const MAX_FORMATS = 70_000

async function readWorkbook(archive: Archive, part: string): Promise<Workbook> {
  const relations = await relationsOf(archive, part)
  const sheets: Sheet[] = []
  let is1904 = false
  await readXml(archive.read(part), {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = /^(?:1|true)$/.test(attributes.get('date1904') ?? '')
      if (name !== 'sheet' || sheets.length >= MAX_SHEETS) return
      const relation = relations.get(attributes.get('id') ?? '')
      if (!relation || relation.isExternal || relation.type !== 'worksheet') return
      const isHidden = (attributes.get('state') ?? 'visible') !== 'visible'
      sheets.push({ name: (attributes.get('name') ?? '').slice(0, 100), part: relation.target, isHidden })
    },
  })
  const strings = await readStrings(archive, relationOfType(relations, 'sharedStrings')?.target)
  const kinds = await readKinds(archive, relationOfType(relations, 'styles')?.target)
  return { sheets, is1904, strings, kinds }
}

async function readStrings(archive: Archive, part: string | undefined): Promise<string[]> {
  const strings: string[] = []
  if (part === undefined || !archive.has(part)) return strings
  let chars = 0
  let text = ''
  let isText = false
  let phonetic = 0
  await readXml(archive.read(part), {
    open(name) {
      if (name === 'si') text = ''
      else if (name === 'rPh') phonetic++
      else if (name === 't') isText = phonetic === 0
    },
    close(name) {
      if (name === 'rPh') phonetic--
      else if (name === 't') isText = false
      else if (name === 'si' && strings.push(text) > MAX_STRINGS) throw new ExtractionError('bomb')
    },
    text(piece) {
      if (!isText) return
      text += piece
      chars += piece.length
      if (chars > MAX_STRING_CHARS) throw new ExtractionError('bomb')
    },
  })
  return strings
}

async function readKinds(archive: Archive, part: string | undefined): Promise<NumberKind[]> {
  const kinds: NumberKind[] = []
  if (part === undefined || !archive.has(part)) return kinds
  const codes = new Map<number, string>()
  let isCellFormats = false
  await readXml(archive.read(part), {
    open(name, attributes) {
      if (name === 'numFmt' && codes.size < MAX_FORMATS) {
        codes.set(Number(attributes.get('numFmtId')), attributes.get('formatCode') ?? '')
      } else if (name === 'cellXfs') isCellFormats = true
      else if (name === 'xf' && isCellFormats && kinds.length < MAX_FORMATS) {
        const id = Number(attributes.get('numFmtId'))
        kinds.push(numberKind(id, codes.get(id)))
      }
    },
    close(name) {
      if (name === 'cellXfs') isCellFormats = false
    },
  })
  return kinds
}

type NumberKind = 'number' | 'percent' | 'date' | 'time' | 'date-time' | 'duration'

// Formats that have a number and no code in the file. Source: ECMA-376 part 1, 18.8.30.
const BUILT_IN: [number, number, NumberKind][] = [
  [9, 10, 'percent'],
  [14, 17, 'date'],
  [18, 21, 'time'],
  [22, 22, 'date-time'],
  [27, 31, 'date'],
  [32, 35, 'time'],
  [36, 36, 'date'],
  [45, 45, 'time'],
  [46, 46, 'duration'],
  [47, 47, 'time'],
  [50, 54, 'date'],
  [55, 56, 'time'],
  [57, 58, 'date'],
]
const MAX_CODE_CHARS = 500
const MS_PER_DAY = 86_400_000
// Day 25569 of the 1900 system is 1 January 1970; the 1904 system begins 1462 days later.
const EPOCH_SERIAL = 25_569
const SERIALS_BETWEEN_SYSTEMS = 1_462
const LAST_SERIAL = 2_958_465

function numberKind(id: number, code: string | undefined): NumberKind {
  if (code === undefined) return BUILT_IN.find(([from, to]) => id >= from && id <= to)?.[2] ?? 'number'
  // Only the format of positive numbers, without literals, escapes, padding, colours and locales.
  const plain = code
    .slice(0, MAX_CODE_CHARS)
    .replace(/"[^"]*"|\\.|_.|\*./g, '')
    .split(';')[0]!
    .toLowerCase()
  if (/\[(?:h+|m+|s+)\]/.test(plain)) return 'duration'
  const bare = plain.replace(/\[[^\]]*\]/g, '').replace(/general/g, '')
  const hasTime = /[hs]/.test(bare)
  const hasDate = /[dy]/.test(bare) || (!hasTime && /m/.test(bare))
  if (hasDate) return hasTime ? 'date-time' : 'date'
  if (hasTime) return 'time'
  return bare.includes('%') ? 'percent' : 'number'
}

function formatNumber(raw: string, kind: NumberKind, is1904: boolean): string {
  const value = Number(raw)
  if (raw.trim() === '' || !Number.isFinite(value)) return raw.trim()
  if (kind === 'number') return plainNumber(value)
  if (kind === 'percent') return `${plainNumber(value * 100)}%`
  if (value < 0 || value > LAST_SERIAL) return plainNumber(value)
  if (kind === 'duration') return clock(value)
  // Day 60 of the 1900 system is 29 February 1900, which never was: days before it are one off.
  const serial = is1904 ? value + SERIALS_BETWEEN_SYSTEMS : value < 60 ? value + 1 : value
  const iso = new Date(Math.round(((serial - EPOCH_SERIAL) * MS_PER_DAY) / 1000) * 1000).toISOString()
  if (kind === 'time') return iso.slice(11, 19)
  return kind === 'date' ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${iso.slice(11, 19)}`
}

const plainNumber = (value: number): string => String(Number(value.toPrecision(15)))

function clock(days: number): string {
  const seconds = Math.round(days * 86_400)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}

export const MAX_ROWS = 100_000
const MAX_COLUMNS = 256
// Source: Excel specifications and limits.
const MAX_CELL_CHARS = 32_767
const CELL_OVERHEAD_CHARS = 3

export class SheetRows {
  readonly #sink: TextSink
  readonly #heading: string
  readonly #rows: string[][] = []
  #row: string[] = []
  #chars = 0

  constructor(sink: TextSink, name: string, isHidden: boolean) {
    this.#sink = sink
    this.#heading = `## ${name.replace(/\s+/g, ' ').trim()}${isHidden ? ' (hidden)' : ''}`
  }

  cell(column: number, text: string): void {
    if (text === '') return
    if (column >= MAX_COLUMNS) {
      this.#sink.truncate()
      return
    }
    while (this.#row.length < column) this.#row.push('')
    this.#row[column] = text.slice(0, MAX_CELL_CHARS)
    this.#chars += Math.min(text.length, MAX_CELL_CHARS)
  }

  endRow(): void {
    if (this.#row.length === 0) return
    this.#rows.push(this.#row)
    this.#chars += this.#row.length * CELL_OVERHEAD_CHARS
    this.#row = []
    if (this.#rows.length >= MAX_ROWS || this.#chars > this.#sink.remaining) {
      this.end()
      this.#sink.truncate()
      throw new SinkFull()
    }
  }

  end(): void {
    if (this.#rows.length === 0) return
    this.#sink.block(this.#heading)
    this.#sink.block(markdownTable(this.#rows))
  }
}

const utf16 = (name: string): Buffer => Buffer.from(name, 'utf16le')
const ENCRYPTED = ['EncryptedPackage', 'EncryptionInfo', 'DRMEncryptedDataSpace'].map(utf16)
const WORKBOOK = ['Workbook', 'Book'].map(utf16)

/**
 * Writes a workbook of the old binary format as Markdown tables. Its container also holds other old office documents,
 * which are not read, and new ones with a password.
 */
export async function readXls(bytes: Uint8Array, sink: TextSink): Promise<void> {
  const sheets = await import('@e965/xlsx')
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (ENCRYPTED.some((name) => buffer.includes(name))) throw new ExtractionError('encrypted')
  if (!WORKBOOK.some((name) => buffer.includes(name))) throw new ExtractionError('unsupported')
  const workbook = parseWorkbook(sheets, buffer)
  for (const [index, name] of workbook.SheetNames.entries()) {
    const sheet = workbook.Sheets[name]
    if (!sheet) continue
    const isHidden = (workbook.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0
    const rows = new SheetRows(sink, name.slice(0, 100), isHidden)
    const values = sheets.utils.sheet_to_json<unknown[]>(sheet, { header: 1, raw: false, blankrows: false, defval: '' })
    for (const row of values) {
      for (const [column, value] of row.entries()) rows.cell(column, String(value ?? ''))
      rows.endRow()
    }
    rows.end()
  }
}

function parseWorkbook({ CFB, read }: typeof import('@e965/xlsx'), buffer: Buffer) {
  try {
    // The container alone first: the library would take bytes of any other format, text included.
    CFB.parse(buffer, { type: 'buffer' })
    const only = { cellFormula: false, cellHTML: false, cellStyles: false, bookVBA: false, sheetStubs: false }
    return read(buffer, { type: 'buffer', dense: true, sheetRows: MAX_ROWS, ...only })
  } catch (error) {
    const isLocked = error instanceof Error && /password|encrypt/i.test(error.message)
    throw new ExtractionError(isLocked ? 'encrypted' : 'corrupt', { cause: error })
  }
}
